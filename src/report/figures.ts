import { MICROS_PER_TRY, sumMicros } from '../../contract/money.ts';
import { MAX_COUNTED } from '../ledger/reports/account-figures.ts';
import { renderReason } from '../submission/reason.ts';
import { type Drawing, drawBars, drawLimit, drawLine } from './draw.ts';
import type { Cell, Figure } from './figure.ts';
import type { Formats } from './formats.ts';
import type { MessageKey } from './messages.ts';
import type { AccountReport, CheckShare, Report, StageReport, WatchReport } from './report.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const COLOUR = {
  listed: 'var(--listed)',
  bought: 'var(--bought)',
  found: 'var(--found)',
  bar: 'var(--bought)',
  second: 'var(--second)',
  limit: 'var(--limit)',
} as const;

type Days = Pick<Report, 'since' | 'today'>;

/** Of the whole period, with `extra` for what a figure alone has. */
const toDrawing = ({ since, today }: Days, extra: Omit<Drawing, 'since' | 'today'>): Drawing => ({
  since,
  today,
  ...extra,
});

/** URLs of a watch on each day that anything is known of. */
export interface CoverageDay {
  readonly day: number;
  readonly listed: number | null;
  readonly bought: number | null;
  readonly completed: number | null;
  readonly checked: number | null;
  readonly found: number | null;
}

/** What was counted on a day says how many were listed at its last count; else the last complete run of the day does. */
export function toCoverage({ runs, counts }: WatchReport): CoverageDay[] {
  const days = new Map<number, CoverageDay>();
  const unknown = { bought: null, completed: null, checked: null, found: null };
  for (const { day, listed } of runs) if (listed !== null) days.set(day, { day, listed, ...unknown });
  for (const { day, listed, bought, completed, checked, found } of counts)
    days.set(day, { day, listed, bought, completed, checked, found });
  return [...days.values()].sort((a, b) => a.day - b.day);
}

export function buildCoverage(report: Report, watch: WatchReport, formats: Formats): Figure {
  const { say, count, percent, day } = formats;
  const days = toCoverage(watch);
  const last = watch.counts.at(-1);
  const top = Math.max(0, ...days.map(({ listed }) => listed ?? 0));
  const title =
    last === undefined || last.listed === 0
      ? say('coverage_nothing', { watch: watch.watch })
      : say('coverage_of', {
          watch: watch.watch,
          percent: percent(last.bought / last.listed),
          listed: count(last.listed),
        });
  const series = (name: 'listed' | 'bought' | 'found', dashed = false) =>
    drawLine(
      days.flatMap(({ day: at, [name]: value }) => (value === null ? [] : [{ day: at, value }])),
      COLOUR[name],
      { dashed },
    );
  const isChecked = days.some(({ checked }) => (checked ?? 0) > 0);
  const shown = (value: number | null) => (value === null ? say('not_known') : count(value));
  return {
    title,
    drawing:
      top === 0
        ? null
        : toDrawing(report, {
            label: title,
            unit: say('urls_axis'),
            top,
            marks: [...series('listed', true), ...series('bought'), ...(isChecked ? series('found') : [])],
          }),
    legend: [
      { label: say('listed'), colour: COLOUR.listed, line: 'dashed' },
      { label: say('bought'), colour: COLOUR.bought, line: 'solid' },
      ...(isChecked ? [{ label: say('found'), colour: COLOUR.found, line: 'solid' } as const] : []),
    ],
    notes:
      watch.countedSince !== null && watch.countedSince > report.since && top > 0
        ? [say('coverage_since', { day: day(watch.countedSince) })]
        : [],
    table: {
      columns: [
        { name: say('day') },
        ...(['listed', 'bought', 'completed', 'checked', 'found'] as const).map((key) => ({
          name: say(key),
          numeric: true,
        })),
      ],
      rows: days
        .toReversed()
        .map((each) => [
          day(each.day),
          shown(each.listed),
          shown(each.bought),
          shown(each.completed),
          shown(each.checked),
          shown(each.found),
        ]),
    },
  };
}

/** Every watch in a line, for those that have no plot of their own. */
export function buildCoverageTable({ watches }: Report, { say, count, percent }: Formats): Figure {
  return {
    title: say('coverage_table'),
    drawing: null,
    legend: [],
    notes: [],
    open: true,
    table: {
      columns: [
        { name: say('watch') },
        { name: say('listed'), numeric: true },
        { name: say('bought'), numeric: true },
        { name: say('share'), numeric: true },
        { name: say('found'), numeric: true },
      ],
      rows: watches.map(({ watch, counts }): Cell[] => {
        const last = counts.at(-1);
        if (last === undefined) return [watch, say('not_known'), say('not_known'), '', say('not_known')];
        const share = last.listed === 0 ? 0 : last.bought / last.listed;
        return [watch, count(last.listed), count(last.bought), { text: percent(share), share }, count(last.found)];
      }),
    },
  };
}

export function buildNew(report: Report, { say, count, day }: Formats): Figure {
  const days = new Map<number, { new: number; gone: number; runs: number; incomplete: number }>();
  for (const { runs } of report.watches) {
    for (const run of runs) {
      const sum = days.get(run.day) ?? { new: 0, gone: 0, runs: 0, incomplete: 0 };
      sum.new += run.new;
      sum.gone += run.gone;
      sum.runs += run.finished;
      sum.incomplete += run.incomplete;
      days.set(run.day, sum);
    }
  }
  const sorted = [...days].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, each]) => sum + each.new, 0);
  const most = Math.max(0, ...sorted.map(([, each]) => each.new));
  const title = total === 0 ? say('new_nothing') : say('new_title', { count: count(total), most: count(most) });
  return {
    title,
    drawing:
      total === 0
        ? null
        : toDrawing(report, {
            label: title,
            unit: say('urls_axis'),
            top: most,
            marks: [
              drawBars(
                sorted.map(([at, { new: to }]) => ({ day: at, from: 0, to })),
                COLOUR.bar,
              ),
            ],
          }),
    legend: [],
    notes: [say('new_note')],
    table: {
      columns: [
        { name: say('day') },
        { name: say('new'), numeric: true },
        { name: say('gone'), numeric: true },
        { name: say('runs'), numeric: true },
        { name: say('incomplete_runs'), numeric: true },
      ],
      rows: sorted
        .toReversed()
        .map(([at, each]) => [day(at), count(each.new), count(each.gone), count(each.runs), count(each.incomplete)]),
    },
  };
}

const STAGE_NAME = {
  accepted: 'stage_accepted',
  completed: 'stage_completed',
  found: 'stage_found',
} as const satisfies Record<StageReport['stage'], MessageKey>;

export function buildStage(report: Report, { stage, all, days }: StageReport, formats: Formats): Figure {
  const { say, count, day, duration } = formats;
  const name = say(STAGE_NAME[stage]);
  const title =
    all === null
      ? say('stage_nothing', { stage: name })
      : say('stage_title', { stage: name, median: duration(all.median), ninth: duration(all.ninth) });
  const longest = Math.max(0, ...days.map(({ ninth }) => ninth));
  const [unit, ms] = chooseUnit(longest);
  const series = (key: 'median' | 'ninth') => days.map(({ day: at, [key]: value }) => ({ day: at, value: value / ms }));
  return {
    title,
    drawing:
      all === null
        ? null
        : toDrawing(report, {
            label: title,
            unit: say(unit),
            top: longest / ms,
            marks: [
              ...drawLine(series('ninth'), COLOUR.listed, { dashed: true }),
              ...drawLine(series('median'), COLOUR.bought),
            ],
          }),
    legend: [
      { label: say('median'), colour: COLOUR.bought, line: 'solid' },
      { label: say('ninth'), colour: COLOUR.listed, line: 'dashed' },
    ],
    notes: [],
    table: {
      columns: [
        { name: say('day') },
        { name: say('urls'), numeric: true },
        { name: say('median'), numeric: true },
        { name: say('ninth'), numeric: true },
      ],
      rows: days
        .toReversed()
        .map(({ day: at, urls, median, ninth }) => [day(at), count(urls), duration(median), duration(ninth)]),
    },
  };
}

function chooseUnit(longest: number): readonly [MessageKey, number] {
  if (longest < 2 * HOUR) return ['minutes_axis', MINUTE];
  return longest < 3 * DAY ? ['hours_axis', HOUR] : ['days_axis', DAY];
}

export function buildSpend(report: Report, account: AccountReport, formats: Formats): Figure {
  const { say, count, money, day } = formats;
  const { days, perDay, perMonth } = account;
  const total = sumMicros(...days.map(({ submissions, checks }) => sumMicros(submissions, checks)));
  const unknown = days.reduce((sum, { unknownChargeUrls }) => sum + unknownChargeUrls, 0);
  const most = Math.max(0, ...days.map(({ submissions, checks }) => submissions + checks));
  const isChecked = days.some(({ checks }) => checks > 0);
  const title =
    total === 0
      ? say('spend_nothing', { account: account.account })
      : say('spend_title', { account: account.account, amount: money(total) });
  // A cap far above the bars would press them flat: then it is in the text only.
  const isCapDrawn = perDay !== null && perDay <= 4 * most;
  return {
    title,
    drawing:
      most === 0
        ? null
        : toDrawing(report, {
            label: title,
            unit: say('money_axis'),
            top: (isCapDrawn ? Math.max(most, perDay) : most) / MICROS_PER_TRY,
            marks: [
              drawBars(
                days.map(({ day: at, submissions }) => ({ day: at, from: 0, to: submissions / MICROS_PER_TRY })),
                COLOUR.bar,
              ),
              drawBars(
                days.map(({ day: at, submissions, checks }) => ({
                  day: at,
                  from: submissions / MICROS_PER_TRY,
                  to: (submissions + checks) / MICROS_PER_TRY,
                })),
                COLOUR.second,
              ),
              ...(isCapDrawn ? [drawLimit(perDay / MICROS_PER_TRY)] : []),
            ],
          }),
    legend: [
      { label: say('submissions'), colour: COLOUR.bar, line: 'block' },
      ...(isChecked ? [{ label: say('index_checks'), colour: COLOUR.second, line: 'block' } as const] : []),
      ...(isCapDrawn ? [{ label: say('cap_of_day'), colour: COLOUR.limit, line: 'dashed' } as const] : []),
    ],
    notes: [
      describeCaps(account, formats),
      ...(unknown === 0 ? [] : [say('spend_unknown', { count: count(unknown) })]),
    ],
    table: {
      columns: [
        { name: say('day') },
        { name: say('urls'), numeric: true },
        { name: say('submissions'), numeric: true },
        { name: say('index_checks'), numeric: true },
        { name: say('total'), numeric: true },
        ...(perDay === null ? [] : [{ name: say('cap_of_day'), numeric: true }]),
      ],
      rows: days
        .toReversed()
        .map(({ day: at, urls, submissions, checks }) => [
          day(at),
          count(urls),
          money(submissions),
          money(checks),
          money(submissions + checks),
          ...(perDay === null ? [] : [money(perDay)]),
        ]),
    },
  };

  function describeCaps({ chargedThisMonth: spent }: AccountReport, { say, money }: Formats): string {
    if (perDay !== null && perMonth !== null)
      return say('spend_caps', { day: money(perDay), month: money(perMonth), spent: money(spent) });
    if (perDay !== null) return say('spend_cap_day', { day: money(perDay) });
    if (perMonth !== null) return say('spend_cap_month', { month: money(perMonth), spent: money(spent) });
    return say('spend_no_cap');
  }
}

export function buildFailures({ failures, otherFailures }: Report, { say, count }: Formats): Figure {
  const total = failures.reduce((sum, { urls }) => sum + urls, otherFailures);
  const most = Math.max(1, otherFailures, ...failures.map(({ urls }) => urls));
  const [first] = failures;
  const title =
    first === undefined
      ? say('failures_nothing')
      : first.reason === null
        ? say('failures_title_none', { count: count(total) })
        : say('failures_title', { count: count(total), reason: shorten(first.reason) });
  const row = (reason: Cell, urls: number): Cell[] => [reason, { text: count(urls), share: urls / most }];
  return {
    title,
    drawing: null,
    legend: [],
    notes: first === undefined ? [] : [say('failures_note')],
    open: true,
    table: {
      columns: [{ name: say('reason') }, { name: say('urls'), numeric: true }],
      rows: [
        ...failures.map(({ reason, urls }) => row(reason === null ? say('no_reason') : { foreign: reason }, urls)),
        ...(otherFailures === 0 ? [] : [row(say('other_reasons'), otherFailures)]),
      ],
    },
  };
}

const SHOWN_CHARACTERS = 60;
const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS).trimEnd()}…`;
};

export function sumChecks(watches: readonly WatchReport[]): CheckShare[] {
  const days = new Map<number, CheckShare>();
  for (const { checks } of watches) {
    for (const { day, urls, found } of checks) {
      const sum = days.get(day);
      days.set(day, { day, urls: urls + (sum?.urls ?? 0), found: found + (sum?.found ?? 0) });
    }
  }
  return [...days.values()].sort((a, b) => a.day - b.day);
}

export function buildChecks(report: Report, { say, count, percent, day }: Formats): Figure {
  const days = sumChecks(report.watches);
  const urls = days.reduce((sum, each) => sum + each.urls, 0);
  const found = days.reduce((sum, each) => sum + each.found, 0);
  const title =
    urls === 0 ? say('checks_nothing') : say('checks_title', { percent: percent(found / urls), count: count(urls) });
  return {
    title,
    drawing:
      urls === 0
        ? null
        : toDrawing(report, {
            label: title,
            unit: say('share_axis'),
            top: 100,
            marks: drawLine(
              days.map((each) => ({ day: each.day, value: (100 * each.found) / each.urls })),
              COLOUR.found,
            ),
          }),
    legend: [],
    notes: urls === 0 ? [] : [say('checks_note')],
    table: {
      columns: [
        { name: say('day') },
        { name: say('watch') },
        { name: say('checked'), numeric: true },
        { name: say('found'), numeric: true },
        { name: say('share'), numeric: true },
      ],
      rows: report.watches
        .flatMap(({ watch, checks }) => checks.map((each) => ({ watch, ...each })))
        .sort((a, b) => b.day - a.day)
        .map((each): Cell[] => [
          day(each.day),
          each.watch,
          count(each.urls),
          count(each.found),
          percent(each.found / each.urls),
        ]),
    },
  };
}

export function buildWaiting({ accounts, madeAt }: Report, { say, count, instant, duration }: Formats): Figure {
  const rows = accounts.flatMap(({ waiting }) => waiting).sort((a, b) => a.since - b.since);
  const counts = (['needs_review', 'in_doubt', 'to_be_sent', 'open_job'] as const).flatMap((kind) => {
    const sum = accounts.reduce((all, { waits }) => all + waits[kind], 0);
    const shown = sum >= MAX_COUNTED ? say('or_more', { count: count(sum) }) : count(sum);
    return sum === 0 ? [] : [`${say(kind)}: ${shown}`];
  });
  return {
    title: rows.length === 0 ? say('waiting_nothing') : say('waiting_title'),
    drawing: null,
    legend: [],
    notes: counts.length === 0 ? [] : [counts.join(' · ')],
    open: true,
    table: {
      columns: [
        { name: say('state') },
        { name: say('batch'), numeric: true },
        { name: say('watch') },
        { name: say('urls'), numeric: true },
        { name: say('since') },
        { name: say('waits_for'), numeric: true },
        { name: say('reason') },
      ],
      rows: rows.map((each): Cell[] => [
        say(each.kind),
        String(each.batch),
        each.watch,
        count(each.urls),
        instant(each.since),
        duration(Math.max(0, madeAt - each.since)),
        { foreign: each.reason === null ? '' : renderReason(each.reason) },
      ]),
    },
  };
}

export function buildSlowest({ slowest }: Report, { say, count, instant, duration }: Formats): Figure {
  return {
    title: say(slowest.length === 0 ? 'slowest_nothing' : 'slowest_title'),
    drawing: null,
    legend: [],
    notes: [],
    open: true,
    table: {
      columns: [
        { name: say('took') },
        { name: say('batch'), numeric: true },
        { name: say('watch') },
        { name: say('urls'), numeric: true },
        { name: say('stage_accepted') },
        { name: say('reference') },
      ],
      rows: slowest.map(({ batch, watch, reference, urls, acceptedAt, ms }): Cell[] => [
        duration(ms),
        String(batch),
        watch,
        count(urls),
        instant(acceptedAt),
        { foreign: reference ?? '' },
      ]),
    },
  };
}

export function buildDue({ watches }: Report, { say, count, instant }: Formats): Figure {
  const rows = watches.filter(({ due }) => due.urls > 0).sort((a, b) => (a.due.oldest ?? 0) - (b.due.oldest ?? 0));
  return {
    title: say(rows.length === 0 ? 'due_nothing' : 'due_title'),
    drawing: null,
    legend: [],
    notes: [],
    open: true,
    table: {
      columns: [
        { name: say('watch') },
        { name: say('urls'), numeric: true },
        { name: say('oldest') },
        { name: say('example') },
      ],
      rows: rows.map(({ watch, due }): Cell[] => [
        watch,
        due.urls >= MAX_COUNTED ? say('or_more', { count: count(due.urls) }) : count(due.urls),
        due.oldest === null ? say('not_known') : instant(due.oldest),
        { foreign: due.oldestUrl ?? '' },
      ]),
    },
  };
}

export function buildQuarantine({ watches }: Report, { say, count }: Formats): Figure {
  const rows = watches
    .flatMap(({ watch, quarantine }) => quarantine.map((each) => ({ watch, ...each })))
    .sort((a, b) => b.urls - a.urls);
  return {
    title: say(rows.length === 0 ? 'quarantine_nothing' : 'quarantine_title'),
    drawing: null,
    legend: [],
    notes: [],
    open: true,
    table: {
      columns: [
        { name: say('watch') },
        { name: say('urls'), numeric: true },
        { name: say('reason') },
        { name: say('example') },
      ],
      rows: rows.map(({ watch, urls, reason, example }): Cell[] => [
        watch,
        count(urls),
        { foreign: reason === null ? '' : renderReason(reason) },
        { foreign: example },
      ]),
    },
  };
}
