import type { HeaderBudget } from '../submission/answer.ts';
import { GENERAL, type RateLimits, type Window, type WindowName } from './limits.ts';

/** Requests of a window that we did not make: somebody else uses the key, or our memory was lost. */
export interface ExternalUsage {
  readonly count: number;
  readonly until: number;
  /** The service's own limit, where it is lower than the configured one. */
  readonly limit?: number;
}

export type ExternalUsageByWindow = Partial<Record<WindowName | 'submissions', ExternalUsage>>;

/** A window's name, what headers say is left of it, and of how many. */
export interface HeaderUsage {
  readonly window: WindowName | 'submissions';
  readonly remaining: number;
  readonly limit: number | null;
  readonly resetMs: number | null;
}

/**
 * Which of our windows the headers speak of. A budget that names neither length nor limit of ours is nobody's: it is
 * left out rather than guessed. Where two speak of one window, the smaller remainder counts.
 */
export function readHeaderUsage(budgets: readonly HeaderBudget[], limits: RateLimits): HeaderUsage[] {
  const reported = new Map<HeaderUsage['window'], HeaderUsage>();
  for (const budget of budgets) {
    const window = findWindow(budget, limits);
    const { remaining, limit, resetMs } = budget;
    if (window === null || remaining === null) continue;
    const known = reported.get(window);
    if (known === undefined || remaining < known.remaining) reported.set(window, { window, remaining, limit, resetMs });
  }
  return [...reported.values()];
}

function findWindow({ scope, windowSeconds, limit }: HeaderBudget, limits: RateLimits): HeaderUsage['window'] | null {
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

/**
 * The limits that hold: the configured ones, or the service's own where it named lower ones. What is above the service's
 * limit was never there: it is neither used by others nor part of what a lane leaves to the one before it.
 */
export function limitsInForce(limits: RateLimits, others: ExternalUsageByWindow): RateLimits {
  const inForce = (name: keyof RateLimits): Window => {
    const { limit, lengthMs } = limits[name];
    return { limit: Math.min(limit, others[name]?.limit ?? limit), lengthMs };
  };
  return {
    minute: inForce('minute'),
    hour: inForce('hour'),
    day: inForce('day'),
    submissions: inForce('submissions'),
  };
}

/** Reads what was stored; anything unreadable is no correction. */
export function parseExternalUsage(text: string): ExternalUsageByWindow {
  return JSON.parse(text) as ExternalUsageByWindow;
}

/** How many requests of others count in a window now. */
export function getExternalUsage(
  others: ExternalUsageByWindow,
  window: WindowName | 'submissions',
  now: number,
): number {
  const seen = others[window];
  return seen !== undefined && seen.until > now ? seen.count : 0;
}
