import { type Figure, toTable } from '../figure.ts';
import type { Formats } from '../formats.ts';
import type { Report } from '../report.ts';
import { tableOnly } from './plot.ts';

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
  const rows = [
    ...failures.map(({ reason, urls }) => ({ reason: reason === null ? say('no_reason') : { foreign: reason }, urls })),
    ...(otherFailures === 0 ? [] : [{ reason: say('other_reasons'), urls: otherFailures }]),
  ];
  const table = toTable(rows, [
    [say('reason'), ({ reason }) => reason],
    [say('urls'), ({ urls }) => ({ text: count(urls), share: urls / most }), 'numeric'],
  ]);
  return tableOnly(title, table, first === undefined ? [] : [say('failures_note')]);
}

const SHOWN_CHARACTERS = 60;
const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS).trimEnd()}…`;
};
