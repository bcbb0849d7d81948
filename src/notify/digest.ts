import { formatTry, type Micros, ZERO } from '../../contract/money.ts';
import type { Config } from '../config/config.ts';
import { sumChargedSince } from '../ledger/journal/sums.ts';
import { listConditions } from '../ledger/notices/conditions.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { getAccountFigures } from '../ledger/reports/account-figures.ts';
import { getAccountMoney } from '../ledger/reports/totals.ts';
import { getWatchFigures } from '../ledger/reports/watch-figures.ts';
import { formatCounted } from '../submission/count.ts';
import { formatSpan } from '../submission/span.ts';
import type { Notice } from './find-conditions.ts';
import { type Draft, describeTransition } from './message.ts';

const DAY = 86_400_000;
/** A mail of 300 watches is not read: the others are counted. */
const MOST_WATCHES = 30;

/** The last 24 hours: money of each account, the last run of each watch, and what is wrong now. */
export async function createDigest(ledger: Ledger, config: Config): Promise<Draft> {
  const at = ledger.now();
  const lines: string[] = [];
  let total = 0;
  let urls = 0;
  for (const { id, pricePerUrl } of config.accounts.values()) {
    const charged = await sumChargedSince(ledger.db, id, at - DAY);
    const { due, pending } = await getAccountFigures(ledger, id);
    const { balance, balanceAt, chargedSinceBalance: since } = await getAccountMoney(ledger, id, pricePerUrl);
    total += charged.amount;
    urls += charged.urls;
    const known =
      balance === null
        ? 'balance not known'
        : `balance ${formatTry(balance)} (read ${formatSpan(at - (balanceAt ?? at))} ago${since === ZERO ? '' : `, before ${formatTry(since)} charged since`})`;
    lines.push(
      `Account ${id}: ${formatCounted(charged.urls, 'URL')} submitted, ${formatTry(charged.amount)} charged, ${known}, ` +
        `${formatCounted(due.count, 'batch', 'batches')} due, ${formatCounted(pending.count, 'job')} not ended.`,
    );
  }
  const watches = [...config.watches.keys()];
  for (const watch of watches.slice(0, MOST_WATCHES)) {
    const { lastRun } = await getWatchFigures(ledger, watch);
    const text =
      lastRun === null
        ? 'has not run yet'
        : `last run ${lastRun.succeeded ? 'complete' : 'incomplete'}, ${formatSpan(at - lastRun.endedAt)} ago`;
    lines.push(`Watch ${watch}: ${text}.`);
  }
  if (watches.length > MOST_WATCHES) lines.push(`${watches.length - MOST_WATCHES} more watches: courier status`);
  const open = (await listConditions<Notice>(ledger)).flatMap((each) => describeTransition(each, at) ?? []);
  if (open.length === 0) lines.push('Nothing waits for you.');
  for (const { title, commands } of open) lines.push(`Open: ${title}. ${commands.join('   or   ')}`);
  const amount = total as Micros;
  const title = `Last 24 hours: ${formatCounted(urls, 'URL')} submitted, ${formatTry(amount)} charged, ${open.length} open`;
  return {
    event: 'digest',
    kind: null,
    account: null,
    watch: null,
    title,
    lines,
    commands: [],
    since: at - DAY,
    at,
    amount,
  };
}
