import { DEFAULT_TERMINAL_STATES } from '../submission/states.ts';
import { createStatusMapping, mergeStatusMap, normalizeStatus, type StatusMap } from '../submission/status-map.ts';
import type { RawAccount } from './schema.ts';

type RawStatusMap = NonNullable<RawAccount['words']>;

/** The account's words before ours, and its own ends of a job. */
export function toStatusMap(raw: RawAccount): StatusMap {
  const { job = {}, url = {}, check = {} }: RawStatusMap = raw.words ?? {};
  const { not_found: notFound, ...verdicts } = check;
  const own = { job, url, check: { ...verdicts, ...(notFound === undefined ? {} : { notFound }) } };
  return mergeStatusMap(own, raw.terminal_states);
}

/** An end may be given in the service's own word or as the state that `words` makes of it. */
export function toTerminalStates(raw: RawAccount, words: StatusMap): readonly string[] {
  if (raw.terminal_states === undefined) return DEFAULT_TERMINAL_STATES;
  const { job } = createStatusMapping(words);
  return [...new Set(raw.terminal_states.map((word) => job(word)!))];
}

/** Words that stand under two meanings: which of them counts must not be left to chance. */
export function findDuplicateStatuses(raw: RawStatusMap): { readonly path: string[]; readonly message: string }[] {
  const problems: { path: string[]; message: string }[] = [];
  for (const [of, meanings] of Object.entries<Partial<Record<string, string[]>>>(raw)) {
    const seen = new Map<string, string>();
    for (const [meaning, list] of Object.entries(meanings)) {
      for (const word of list ?? []) {
        const before = seen.get(normalizeStatus(word)) ?? meaning;
        if (before !== meaning) {
          problems.push({
            path: [of, meaning],
            message: `"${word}" stands under "${before}" as well; it has one meaning`,
          });
        }
        seen.set(normalizeStatus(word), before);
      }
    }
  }
  return problems;
}
