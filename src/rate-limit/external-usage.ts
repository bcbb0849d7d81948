import type { HeaderBudget } from '../submission/answer.ts';
import { GENERAL, type RateLimits, type Window, type WindowName } from './limits.ts';

/** Requests in a window that this ledger did not make: someone else uses the key, or our records were lost. */
export interface ExternalUsage {
  readonly count: number;
  readonly until: number;
  /** The service's own limit, where it is lower than the configured one. */
  readonly limit?: number;
}

export type ExternalUsageByWindow = Partial<Record<WindowName | 'submissions', ExternalUsage>>;

/** A window with the remaining requests and the limit that headers report. */
export interface HeaderUsage {
  readonly window: WindowName | 'submissions';
  readonly remaining: number;
  readonly limit: number | null;
  readonly resetMs: number | null;
}

/**
 * Matches the reported budgets to our windows. A budget that names neither a length nor a limit of ours is skipped
 * rather than guessed. When two match one window, the smaller remainder counts.
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
 * The limits in force: the configured ones, or the service's own where it reports lower ones. Requests above the
 * service's limit never existed: they are neither external usage nor part of what a lane reserves for a more urgent one.
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

/** Parses the stored external usage. */
export function parseExternalUsage(text: string): ExternalUsageByWindow {
  return JSON.parse(text) as ExternalUsageByWindow;
}

/** How many external requests count in a window now. */
export function getExternalUsage(
  others: ExternalUsageByWindow,
  window: WindowName | 'submissions',
  now: number,
): number {
  const usage = others[window];
  return usage !== undefined && usage.until > now ? usage.count : 0;
}
