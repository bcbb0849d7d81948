import { MICROS_PER_TRY, sumMicros } from '../../../contract/money.ts';
import { drawBars, drawLimit } from '../draw.ts';
import { type Figure, toTable } from '../figure.ts';
import type { Formats } from '../formats.ts';
import type { AccountReport, Report } from '../report.ts';
import { COLOUR, toDrawing } from './plot.ts';

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
    table: toTable(days.toReversed(), [
      [say('day'), (each) => day(each.day)],
      [say('urls'), ({ urls }) => count(urls), 'numeric'],
      [say('submissions'), ({ submissions }) => money(submissions), 'numeric'],
      [say('index_checks'), ({ checks }) => money(checks), 'numeric'],
      [say('total'), ({ submissions, checks }) => money(submissions + checks), 'numeric'],
      ...(perDay === null ? [] : [[say('cap_of_day'), () => money(perDay), 'numeric'] as const]),
    ]),
  };

  function describeCaps({ chargedThisMonth: spent }: AccountReport, { say, money }: Formats): string {
    if (perDay !== null && perMonth !== null)
      return say('spend_caps', { day: money(perDay), month: money(perMonth), spent: money(spent) });
    if (perDay !== null) return say('spend_cap_day', { day: money(perDay) });
    if (perMonth !== null) return say('spend_cap_month', { month: money(perMonth), spent: money(spent) });
    return say('spend_no_cap');
  }
}
