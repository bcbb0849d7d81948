import { LIMITS } from '../../../contract/limits.ts';
import { write } from '../fault.ts';
import type { RawAccount, RawConfig } from '../schema.ts';
import { toStatusMap, toTerminalStates } from '../status-map.ts';
import { at, eachAccount } from './each.ts';
import type { Found } from './rule.ts';

/** Other states that end a job are of the service; of these two each job reaches one. */
export const findEndlessJobs = eachAccount((account, path) => {
  const { terminal_states: named } = account;
  if (named === undefined || named.some((state) => state === null)) return [];
  const states = toTerminalStates(account as RawAccount, toStatusMap(account as RawAccount));
  const missing = ['completed', 'failed'].filter((state) => !states.includes(state));
  if (missing.length === 0) return [];
  const says = `${missing.join(' and ')} is not among them, so such a job never ends: its URLs stay open until it is overdue`;
  return at([...path, 'terminal_states'], { says, proposals: [write([[...named, ...missing]])] });
});

/** Above what the specification allows a key (spec 8), the service refuses requests. */
export const findHighLimits = eachAccount(({ limits = {} }, path) => {
  const allowed = [
    ...(['minute', 'hour', 'day'] as const).map(
      (key) => [['requests', key], limits.requests?.[key], LIMITS.requests[key]] as const,
    ),
    [['submissions', 'minute'], limits.submissions?.minute, LIMITS.submissionsPerMinute] as const,
  ];
  return allowed.flatMap(([inner, wanted, most]) =>
    at(
      [...path, 'limits', ...inner],
      wanted === undefined || wanted <= most
        ? null
        : {
            says: `${wanted} is more than the specification allows a key (${most}); the service may refuse requests`,
            proposals: [write([most], { after: ' or less' })],
          },
    ),
  );
});

/** Two accounts with one key at one service are one there: each would have the caps and the rate limits of both. */
export function findSharedKeys({ accounts }: RawConfig): readonly Found[] {
  const first = new Map<string, string>();
  return Object.entries(accounts).flatMap(([id, { base_url: address, api_key: key }]) => {
    if (address === undefined || key === undefined) return [];
    const same = JSON.stringify([address.replace(/\/+$/, ''), key]);
    const other = first.get(same);
    first.set(same, other ?? id);
    const says = `has the service and the key of account ${other}: what both may spend and request is added up; use one account for all watches`;
    return other === undefined ? [] : [{ path: ['accounts', id], at: 'key', fault: { says } }];
  });
}
