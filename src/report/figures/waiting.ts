import { MAX_COUNTED } from '../../ledger/reports/account-figures.ts';
import { renderReason } from '../../submission/reason.ts';
import { type Figure, toTable } from '../figure.ts';
import type { Formats } from '../formats.ts';
import type { Report } from '../report.ts';
import { tableOnly } from './plot.ts';

export function buildWaiting({ accounts, madeAt }: Report, { say, count, instant, duration }: Formats): Figure {
  const rows = accounts.flatMap(({ waiting }) => waiting).sort((a, b) => a.since - b.since);
  const counts = (['needs_review', 'in_doubt', 'to_be_sent', 'open_job'] as const).flatMap((kind) => {
    const sum = accounts.reduce((all, { waits }) => all + waits[kind], 0);
    const shown = sum >= MAX_COUNTED ? say('or_more', { count: count(sum) }) : count(sum);
    return sum === 0 ? [] : [`${say(kind)}: ${shown}`];
  });
  return tableOnly(
    say(rows.length === 0 ? 'waiting_nothing' : 'waiting_title'),
    toTable(rows, [
      [say('state'), ({ kind }) => say(kind)],
      [say('batch'), ({ batch }) => String(batch), 'numeric'],
      [say('watch'), ({ watch }) => watch],
      [say('urls'), ({ urls }) => count(urls), 'numeric'],
      [say('since'), ({ since }) => instant(since)],
      [say('waits_for'), ({ since }) => duration(Math.max(0, madeAt - since)), 'numeric'],
      [say('reason'), ({ reason }) => ({ foreign: reason === null ? '' : renderReason(reason) })],
    ]),
    counts.length === 0 ? [] : [counts.join(' · ')],
  );
}

export function buildSlowest({ slowest }: Report, { say, count, instant, duration }: Formats): Figure {
  return tableOnly(
    say(slowest.length === 0 ? 'slowest_nothing' : 'slowest_title'),
    toTable(slowest, [
      [say('took'), ({ ms }) => duration(ms)],
      [say('batch'), ({ batch }) => String(batch), 'numeric'],
      [say('watch'), ({ watch }) => watch],
      [say('urls'), ({ urls }) => count(urls), 'numeric'],
      [say('stage_accepted'), ({ acceptedAt }) => instant(acceptedAt)],
      [say('reference'), ({ reference }) => ({ foreign: reference ?? '' })],
    ]),
  );
}
