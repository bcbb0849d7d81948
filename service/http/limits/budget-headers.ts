import { budgetHeader, type WindowName } from '../../../contract/headers.ts';
import type { BudgetState } from './budgets.ts';

interface Names {
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
}

const NAMES = Object.fromEntries(
  (['minute', 'hour', 'day', 'submissions'] as const).map((name) => [
    name,
    {
      limit: budgetHeader('limit', name),
      remaining: budgetHeader('remaining', name),
      reset: budgetHeader('reset', name),
    },
  ]),
) as Record<WindowName, Names>;

/**
 * The budgets as headers: X-RateLimit-{Limit,Remaining,Reset}-{Minute,Hour,Day}, with -Submissions on
 * POST /submissions, and the RateLimit and RateLimit-Policy fields of the IETF draft. Reset and t are in seconds.
 */
export function setBudgetHeaders(set: (name: string, value: string) => void, states: readonly BudgetState[]): void {
  let now = '';
  let policy = '';
  for (const { name, limit, remaining, resetSeconds, windowSeconds } of states) {
    const names = NAMES[name];
    set(names.limit, String(limit));
    set(names.remaining, String(remaining));
    set(names.reset, String(resetSeconds));
    const comma = now === '' ? '' : ', ';
    now += `${comma}"${name}";r=${remaining};t=${resetSeconds}`;
    policy += `${comma}"${name}";q=${limit};w=${windowSeconds}`;
  }
  set('ratelimit', now);
  set('ratelimit-policy', policy);
}
