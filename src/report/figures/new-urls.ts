import { drawBars } from '../draw.ts';
import { type Figure, toTable } from '../figure.ts';
import type { Formats } from '../formats.ts';
import type { Report } from '../report.ts';
import { COLOUR, toDrawing } from './plot.ts';

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
    table: toTable(sorted.toReversed(), [
      [say('day'), ([at]) => day(at)],
      [say('new'), ([, each]) => count(each.new), 'numeric'],
      [say('gone'), ([, each]) => count(each.gone), 'numeric'],
      [say('runs'), ([, each]) => count(each.runs), 'numeric'],
      [say('incomplete_runs'), ([, each]) => count(each.incomplete), 'numeric'],
    ]),
  };
}
