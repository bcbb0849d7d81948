import { DEFAULT_TERMINAL_STATES } from '../submission/states.ts';
import { createStatusMapping, mergeStatusMap, normalizeStatus, type StatusMap } from '../submission/status-map.ts';
import type { RawAccount } from './schema.ts';

type RawStatusMap = NonNullable<RawAccount['status_map']>;

/** What an account says of the words of its service. */
type RawWords = Pick<RawAccount, 'status_map' | 'terminal_states'>;

/** Puts the account's status names before the built-in ones and adds its own terminal states. */
export function toStatusMap(raw: RawWords): StatusMap {
  const { job = {}, url = {}, check = {} }: RawStatusMap = raw.status_map ?? {};
  const { not_found: notFound, ...verdicts } = check;
  const own = { job, url, check: { ...verdicts, ...(notFound === undefined ? {} : { notFound }) } };
  return mergeStatusMap(own, raw.terminal_states);
}

/** A terminal state may be named as the service does or as `status_map` translates it. */
export function toTerminalStates(raw: RawWords, statusMap: StatusMap): readonly string[] {
  if (raw.terminal_states === undefined) return DEFAULT_TERMINAL_STATES;
  const { job } = createStatusMapping(statusMap);
  return [...new Set(raw.terminal_states.map((status) => job(status) ?? status))];
}

/** Finds status names with two meanings, where the order would decide. */
export function findDuplicateStatuses(raw: RawStatusMap): { readonly path: string[]; readonly message: string }[] {
  const problems: { path: string[]; message: string }[] = [];
  for (const [subject, meanings] of Object.entries<Partial<Record<string, string[]>>>(raw)) {
    const seen = new Map<string, string>();
    for (const [meaning, list] of Object.entries<readonly (string | null)[] | undefined>(meanings)) {
      for (const status of list ?? []) {
        // An entry with a mistake.
        if (status === null) continue;
        const before = seen.get(normalizeStatus(status)) ?? meaning;
        if (before !== meaning) {
          problems.push({
            path: [subject, meaning],
            message: `"${status}" is also listed under "${before}"; a status can have only one meaning`,
          });
        }
        seen.set(normalizeStatus(status), before);
      }
    }
  }
  return problems;
}
