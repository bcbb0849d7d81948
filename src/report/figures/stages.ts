import { drawLine } from '../draw.ts';
import { type Figure, toTable } from '../figure.ts';
import type { Formats } from '../formats.ts';
import type { MessageKey } from '../messages.ts';
import type { Report, StageReport } from '../report.ts';
import { COLOUR, toDrawing } from './plot.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

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
    table: toTable(days.toReversed(), [
      [say('day'), (each) => day(each.day)],
      [say('urls'), ({ urls }) => count(urls), 'numeric'],
      [say('median'), ({ median }) => duration(median), 'numeric'],
      [say('ninth'), ({ ninth }) => duration(ninth), 'numeric'],
    ]),
  };
}

function chooseUnit(longest: number): readonly [MessageKey, number] {
  if (longest < 2 * HOUR) return ['minutes_axis', MINUTE];
  return longest < 3 * DAY ? ['hours_axis', HOUR] : ['days_axis', DAY];
}
