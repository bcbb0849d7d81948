import { MAX_COUNTED } from '../../ledger/reports/account-figures.ts';
import { renderReason } from '../../submission/reason.ts';
import type { Cell, Figure } from '../figure.ts';
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
  return tableOnly({
    title: rows.length === 0 ? say('waiting_nothing') : say('waiting_title'),
    notes: counts.length === 0 ? [] : [counts.join(' · ')],
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
  });
}

export function buildSlowest({ slowest }: Report, { say, count, instant, duration }: Formats): Figure {
  return tableOnly({
    title: say(slowest.length === 0 ? 'slowest_nothing' : 'slowest_title'),
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
  });
}
