import { LIMITS } from '../../../contract/limits.ts';
import { SUBMISSION_STATES as STATES } from '../../../contract/states.ts';
import { createStatusMapping, DEFAULT_STATUS_MAP, normalizeStatus } from '../../submission/status-map.ts';
import { write } from '../fault.ts';
import type { RawAccount, RawConfig } from '../schema.ts';
import { toStatusMap, toTerminalStates } from '../status-map.ts';
import { at, eachAccount } from './each.ts';
import type { Found } from './rule.ts';

/** Other states that end a job are of the service; of these two each job reaches one. */
export const findEndlessJobs = eachAccount((account, path) => {
  const { terminal_states: named } = account;
  if (named === undefined || named.some((state) => state === null)) return [];
  const states = toTerminalStates(account, toStatusMap(account));
  const missing = ['completed', 'failed'].filter((state) => !states.includes(state));
  if (missing.length === 0) return [];
  const says = `${missing.join(' and ')} is not among them, so such a job never ends: its URLs stay open until it is overdue`;
  return at([...path, 'terminal_states'], { says, proposals: [write([[...named, ...missing]])] });
});

/** A job that has only begun would count as ended, and what it does afterwards would never be read. */
export const findEarlyEnds = eachAccount((account, path) =>
  (account.terminal_states ?? []).flatMap((word, place) => {
    const state = word === null ? null : createStatusMapping(toStatusMap(onlyMap(account))).job(word);
    if (state !== 'queued' && state !== 'processing') return [];
    const says = `"${word}" means that a job is ${state}: it would count as ended, and its results would never be read`;
    const kept = account.terminal_states?.filter((each) => each !== word) ?? [];
    return at([...path, 'terminal_states', String(place)], { says: kept.length > 0 ? `${says}; remove it` : says });
  }),
);

/** What its own names mean, whatever ends a job. */
const onlyMap = ({ status_map: words }: Partial<RawAccount>) => (words === undefined ? {} : { status_map: words });

/** The states of the specification (2.1) say what they say; and a URL that counts as failed may be bought again. */
export const findOpposites = eachAccount(({ status_map: own = {} }, path) => {
  const table = createStatusMapping();
  const jobs = Object.entries(own.job ?? {}).flatMap(([meaning, words]) =>
    words.map((word, place) => ({ word, meaning, place, usual: STATES.find((state) => state === word) ?? meaning })),
  );
  const urls = Object.entries(own.url ?? {}).flatMap(([meaning, words]) =>
    words.map((word: string | null, place: number) => {
      const known = word !== null && isDefaultUrlWord(word);
      return { word, meaning, place, usual: known ? table.url(word) : meaning };
    }),
  );
  return [...jobs.map((each) => ['job', each] as const), ...urls.map((each) => ['url', each] as const)].flatMap(
    ([subject, { word, meaning, place, usual }]) =>
      at(
        [...path, 'status_map', subject, meaning, String(place)],
        usual === meaning || word === null
          ? null
          : {
              says: `"${word}" usually means ${usual}; as ${meaning} it ${meaning === 'failed' ? 'may be bought again' : 'ends too early or never'}. Ask the service if it is meant so`,
            },
      ),
  );
});

const isDefaultUrlWord = (word: string): boolean =>
  Object.values(DEFAULT_STATUS_MAP.url).some((words) =>
    words.some((each) => normalizeStatus(each) === normalizeStatus(word)),
  );

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

/** A name with dots is a path, and none of its parts is empty. */
export const findEmptyFields = eachAccount(({ field_names: fields = {} }, path) =>
  Object.entries(fields).flatMap(([key, names]) =>
    (names as readonly (string | null)[]).flatMap((name, place) =>
      at(
        [...path, 'field_names', key, String(place)],
        name === null || name.split('.').every((part) => part.trim() !== '')
          ? null
          : { says: `"${name}" has a part without a name, so no answer has such a field` },
      ),
    ),
  ),
);
