import { DEFAULT_POLLING } from '../../submission/poll-schedule.ts';
import { findEveryMinuteProblem, findNeverProblem } from '../cron.ts';
import { parseDuration } from '../duration.ts';
import { example, write } from '../fault.ts';
import { DEFAULT_TIMEOUTS } from '../resolve.ts';
import type { RawConfig } from '../schema.ts';
import { at, eachAccount, eachWatch } from './each.ts';
import type { Found } from './rule.ts';

const toMs = (text: string | undefined): number | null => (text === undefined ? null : parseDuration(text));

const eachCron =
  (find: (cron: string) => Found['fault'] | null) =>
  (raw: RawConfig): readonly Found[] =>
    listCrons(raw).flatMap(([path, cron]) => at(path, cron === undefined ? null : find(cron)));

/** Cron lines that fall on no day of any year. */
export const findNever = eachCron(findNeverProblem);

export const findEveryMinute = eachCron(findEveryMinuteProblem);

function listCrons(raw: RawConfig) {
  return [
    [['defaults', 'schedule', 'cron'], raw.defaults?.schedule?.cron],
    ...Object.entries(raw.watches).map(([id, { schedule }]) => [['watches', id, 'schedule', 'cron'], schedule?.cron]),
    [['notify', 'digest', 'cron'], raw.notify?.digest?.cron],
    [['report', 'cron'], raw.report?.cron],
    [['retention', 'cron'], raw.retention?.cron],
  ] as [Found['path'], string | undefined][];
}

const DAY = 86_400_000;

export const findLateReconcile = eachAccount(({ reconcile }, path) => {
  const after = reconcile?.after;
  if (after === undefined || (toMs(after) ?? 0) < DAY) return [];
  const says = `${after} is not below 24h: a service may have forgotten the key by then, and the same submission would be charged twice`;
  return at([...path, 'reconcile', 'after'], { says, proposals: [write(['20h'], { after: ' or less' })] });
});

/** No request ends before. */
const LEAST_TIMEOUT_MS = 10;

/** A duration that must be longer than nothing, and what it would do. */
export function findNoTime({ accounts, notify }: RawConfig): readonly Found[] {
  const accountTimes = Object.entries(accounts).flatMap(([id, { timeouts = {}, tracking = {}, limits = {} }]) => [
    ...Object.entries(timeouts).map(
      ([key, text]) => [['accounts', id, 'timeouts', key], text, 'every request would fail at once', '60s'] as const,
    ),
    ...Object.entries(tracking).flatMap(([level, policy]) =>
      (['min', 'max', 'timeout'] as const).map(
        (key) =>
          [
            ['accounts', id, 'tracking', level, key],
            policy?.[key],
            key === 'timeout' ? 'every job would be overdue at once' : 'jobs would be polled without a pause',
            key === 'timeout' ? '8d' : '10m',
          ] as const,
      ),
    ),
    [['accounts', id, 'limits', 'minute_length'], limits.minute_length, 'no rate limit would hold', '1m'] as const,
  ]);
  const others = [
    [['notify', 'no_success_after'], notify?.no_success_after, 'every watch would be reported at once', '2d'],
  ] as const;
  return [...accountTimes, ...others].flatMap(([path, text, then, instead]) =>
    at(
      path,
      (toMs(text) ?? Infinity) < (path[2] === 'timeouts' ? LEAST_TIMEOUT_MS : 1)
        ? { says: `${text} is no time: ${then}`, proposals: [example([instead])] }
        : null,
    ),
  );
}

/** Each check of a URL costs 0.50 TRY. */
export const findEndlessChecks = eachWatch(({ watch: { index_check: check }, toPath }) => {
  if (toMs(check?.every) !== 0) return [];
  const says = `${check?.every} would check the same pages again without a pause, each time for 0.50 TRY a page`;
  return at(toPath('index_check', 'every'), { says, proposals: [example(['7d'])] });
});

/** The service cannot know more after so short a time, and each check of a URL costs 0.50 TRY. */
export const findHastyChecks = eachWatch(({ watch: { index_check: check }, toPath }) => {
  const every = toMs(check?.every);
  if (every === null || every === 0 || every >= 3_600_000) return [];
  const says = `${check?.every} checks a page more than once an hour, each time for 0.50 TRY`;
  return at(toPath('index_check', 'every'), { says, proposals: [example(['7d'])] });
});

/** Waits between polls that contradict each other: the shorter of the two holds. */
export const findPollOrder = eachAccount(({ tracking = {} }, path) =>
  (['fast', 'standard'] as const).flatMap((level) => {
    const policy = tracking[level] ?? {};
    const byDefault = DEFAULT_POLLING[level];
    const min = toMs(policy.min) ?? byDefault.minMs;
    const max = toMs(policy.max) ?? byDefault.maxMs;
    const first = toMs(policy.first) ?? byDefault.firstMs;
    const timeout = toMs(policy.timeout) ?? byDefault.timeoutMs;
    const inner = [...path, 'tracking', level];
    // What is written is what can be corrected.
    const order = policy.max === undefined ? 'min' : 'max';
    const late = policy.timeout === undefined ? 'first' : 'timeout';
    return [
      ...at(
        [...inner, order],
        min <= max
          ? null
          : {
              says: `the longest time between two polls (${policy.max ?? 'by default '.concat(formatMs(max))}) is below the shortest (${policy.min ?? 'by default '.concat(formatMs(min))}), which then has no effect`,
              proposals: [
                write(order === 'max' ? [formatMs(min)] : [formatMs(max)], {
                  after: order === 'max' ? ' or more' : ' or less',
                }),
              ],
            },
      ),
      ...at(
        [...inner, late],
        first < timeout || timeout === 0
          ? null
          : {
              says: 'a job is overdue before it is polled for the first time, so none of its results is ever read in time',
              proposals: [
                late === 'timeout'
                  ? write(
                      [formatMs(byDefault.timeoutMs)].filter(() => byDefault.timeoutMs > first),
                      { after: ' or more' },
                    )
                  : write([formatMs(byDefault.firstMs)]),
              ],
            },
      ),
    ];
  }),
);

const UNITS = [
  ['d', DAY],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** As a configuration writes it, in the largest unit that divides it. */
const formatMs = (ms: number): string => {
  const [unit, length] = UNITS.find(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / length}${unit}`;
};

/** A part that may take longer than the whole is cut off by it. */
export const findTimeoutOrder = eachAccount(({ timeouts = {} }, path) => {
  const total = toMs(timeouts.total) ?? DEFAULT_TIMEOUTS.totalMs;
  return (['connect', 'answer'] as const).flatMap((key) => {
    const part = toMs(timeouts[key]);
    if (part !== null && part > 0 && part < 1_000) {
      const says = `${timeouts[key]} is shorter than most requests take, so they would be sent again and again`;
      return at([...path, 'timeouts', key], { says, proposals: [write(['1s'], { after: ' or more' })] });
    }
    if (part === null || part <= total || total === 0) return [];
    const says = `${timeouts[key]} is longer than timeouts.total (${formatMs(total)}), which ends the request first`;
    return at([...path, 'timeouts', key], { says, proposals: [write([formatMs(total)], { after: ' or less' })] });
  });
});
