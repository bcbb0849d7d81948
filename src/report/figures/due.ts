import { MAX_COUNTED } from '../../ledger/reports/account-figures.ts';
import { renderReason } from '../../submission/reason.ts';
import type { Cell, Figure } from '../figure.ts';
import type { Formats } from '../formats.ts';
import type { Report } from '../report.ts';
import { tableOnly } from './plot.ts';

export function buildDue({ watches }: Report, { say, count, instant }: Formats): Figure {
  const rows = watches.filter(({ due }) => due.urls > 0).sort((a, b) => (a.due.oldest ?? 0) - (b.due.oldest ?? 0));
  return tableOnly({
    title: say(rows.length === 0 ? 'due_nothing' : 'due_title'),
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
  });
}

export function buildQuarantine({ watches }: Report, { say, count }: Formats): Figure {
  const rows = watches
    .flatMap(({ watch, quarantine }) => quarantine.map((each) => ({ watch, ...each })))
    .sort((a, b) => b.urls - a.urls);
  return tableOnly({
    title: say(rows.length === 0 ? 'quarantine_nothing' : 'quarantine_title'),
    columns: [
      { name: say('watch') },
      { name: say('urls'), numeric: true },
      { name: say('reason') },
      { name: say('example') },
    ],
    rows: rows.map(({ watch, urls, reason, example }): Cell[] => [
      watch,
      count(urls),
      { foreign: renderReason(reason) },
      { foreign: example },
    ]),
  });
}
