import type { HeaderBudget } from '../submission/answer.ts';
import { type BudgetLimits, GENERAL, type WindowName } from './budget-limits.ts';

/** Requests of a window that we did not make: somebody else uses the key, or our memory was lost. */
export interface Others {
  readonly count: number;
  readonly until: number;
}

export type OthersByWindow = Partial<Record<WindowName | 'submissions', Others>>;

/** A window's name and what headers say is left of it. */
export interface Told {
  readonly window: WindowName | 'submissions';
  readonly remaining: number;
  readonly resetMs: number | null;
}

/**
 * Which of our windows the headers speak of. A budget that names neither length nor limit of ours is nobody's: it is
 * left out rather than guessed. Where two speak of one window, the smaller remainder counts.
 */
export function toldOf(budgets: readonly HeaderBudget[], limits: BudgetLimits): Told[] {
  const told = new Map<Told['window'], Told>();
  for (const budget of budgets) {
    const window = windowOf(budget, limits);
    const { remaining, resetMs } = budget;
    if (window === null || remaining === null) continue;
    const known = told.get(window);
    if (known === undefined || remaining < known.remaining) told.set(window, { window, remaining, resetMs });
  }
  return [...told.values()];
}

function windowOf({ scope, windowSeconds, limit }: HeaderBudget, limits: BudgetLimits): Told['window'] | null {
  const lengthMs = windowSeconds === null ? null : windowSeconds * 1_000;
  const { submissions } = limits;
  if (scope.includes('submi')) return lengthMs === null || lengthMs === submissions.lengthMs ? 'submissions' : null;
  if (scope !== '') return null;
  const isSubmissions = limit === submissions.limit && limit !== limits.minute.limit;
  if (isSubmissions && (lengthMs === null || lengthMs === submissions.lengthMs)) return 'submissions';
  return (
    GENERAL.find((name) => {
      const ours = limits[name];
      return lengthMs === null ? limit === ours.limit : lengthMs === ours.lengthMs;
    }) ?? null
  );
}

/** Reads what was stored; anything unreadable is no correction. */
export function parseOthers(text: string): OthersByWindow {
  return JSON.parse(text) as OthersByWindow;
}

/** How many requests of others count in a window now. */
export function othersNow(others: OthersByWindow, window: WindowName | 'submissions', now: number): number {
  const seen = others[window];
  return seen !== undefined && seen.until > now ? seen.count : 0;
}
