import { drawLine } from '../draw.ts';
import { type Figure, toTable } from '../figure.ts';
import type { Formats } from '../formats.ts';
import type { CheckShare, Report, WatchReport } from '../report.ts';
import { COLOUR, toDrawing } from './plot.ts';

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
    table: toTable(
      report.watches
        .flatMap(({ watch, checks }) => checks.map((each) => ({ watch, ...each })))
        .sort((a, b) => b.day - a.day),
      [
        [say('day'), (each) => day(each.day)],
        [say('watch'), ({ watch }) => watch],
        [say('checked'), (each) => count(each.urls), 'numeric'],
        [say('found'), (each) => count(each.found), 'numeric'],
        [say('share'), (each) => percent(each.found / each.urls), 'numeric'],
      ],
    ),
  };
}
