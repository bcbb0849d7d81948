import type { WatchDay } from '../../ledger/reports/watch-days.ts';
import { drawLine } from '../draw.ts';
import { type Cell, type ColumnOf, type Figure, toTable } from '../figure.ts';
import type { Formats } from '../formats.ts';
import type { Report, WatchReport } from '../report.ts';
import { COLOUR, tableOnly, toDrawing } from './plot.ts';

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

/** The share of the listed URLs that is bought, without those that were adopted: they are not to be bought. */
export function toShare({ counts, adopted }: WatchReport): number {
  const { listed = 0, bought = 0 } = counts.at(-1) ?? {};
  return listed > adopted ? bought / (listed - adopted) : bought > 0 ? 1 : 0;
}

export function buildCoverage(report: Report, watch: WatchReport, formats: Formats): Figure {
  const { say, count, percent, day } = formats;
  const days = toCoverage(watch);
  const last = watch.counts.at(-1);
  const top = Math.max(0, ...days.map(({ listed }) => listed ?? 0));
  const title =
    last === undefined || last.listed === 0
      ? say('coverage_nothing', { watch: watch.watch })
      : say(watch.adopted === 0 ? 'coverage_of' : 'coverage_adopted', {
          watch: watch.watch,
          percent: percent(toShare(watch)),
          listed: count(last.listed),
          adopted: count(watch.adopted),
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
    table: toTable(days.toReversed(), [
      [say('day'), (each) => day(each.day)],
      ...(['listed', 'bought', 'completed', 'checked', 'found'] as const).map(
        (key): ColumnOf<CoverageDay> => [say(key), (each) => shown(each[key]), 'numeric'],
      ),
    ]),
  };
}

/** Every watch in a line, for those that have no plot of their own. */
export function buildCoverageTable({ watches }: Report, { say, count, percent }: Formats): Figure {
  const ifCounted = (text: (last: WatchDay, watch: WatchReport) => Cell, otherwise = say('not_known')) => {
    return (watch: WatchReport): Cell => {
      const last = watch.counts.at(-1);
      return last === undefined ? otherwise : text(last, watch);
    };
  };
  const toBar = (share: number): Cell => ({ text: percent(share), share });
  const toFound = ({ checked, found }: WatchDay) => (checked === 0 ? say('tile_nothing_checked') : count(found));
  return tableOnly(
    say('coverage_table'),
    toTable(watches, [
      [say('watch'), ({ watch }) => watch],
      [say('listed'), ifCounted(({ listed }) => count(listed)), 'numeric'],
      [say('adopted'), ifCounted((_, { adopted }) => count(adopted)), 'numeric'],
      [say('bought'), ifCounted(({ bought }) => count(bought)), 'numeric'],
      [say('share'), ifCounted((_, watch) => toBar(toShare(watch)), ''), 'numeric'],
      [say('found'), ifCounted(toFound), 'numeric'],
    ]),
  );
}
