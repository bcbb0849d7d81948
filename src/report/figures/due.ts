import { MAX_COUNTED } from '../../ledger/reports/account-figures.ts';
import { renderReason } from '../../submission/reason.ts';
import { type Figure, toTable } from '../figure.ts';
import type { Formats } from '../formats.ts';
import type { Report } from '../report.ts';
import { tableOnly } from './plot.ts';

export function buildDue({ watches }: Report, { say, count, instant }: Formats): Figure {
  const rows = watches.filter(({ due }) => due.urls > 0).sort((a, b) => (a.due.oldest ?? 0) - (b.due.oldest ?? 0));
  const atLeast = (urls: number) => (urls >= MAX_COUNTED ? say('or_more', { count: count(urls) }) : count(urls));
  return tableOnly(
    say(rows.length === 0 ? 'due_nothing' : 'due_title'),
    toTable(rows, [
      [say('watch'), ({ watch }) => watch],
      [say('urls'), ({ due }) => atLeast(due.urls), 'numeric'],
      [say('oldest'), ({ due }) => (due.oldest === null ? say('not_known') : instant(due.oldest))],
      [say('example'), ({ due }) => ({ foreign: due.oldestUrl ?? '' })],
    ]),
  );
}

export function buildQuarantine({ watches }: Report, { say, count }: Formats): Figure {
  const rows = watches
    .flatMap(({ watch, quarantine }) => quarantine.map((each) => ({ watch, ...each })))
    .sort((a, b) => b.urls - a.urls);
  return tableOnly(
    say(rows.length === 0 ? 'quarantine_nothing' : 'quarantine_title'),
    toTable(rows, [
      [say('watch'), ({ watch }) => watch],
      [say('urls'), ({ urls }) => count(urls), 'numeric'],
      [say('reason'), ({ reason }) => ({ foreign: renderReason(reason) })],
      [say('example'), ({ example }) => ({ foreign: example })],
    ]),
  );
}
