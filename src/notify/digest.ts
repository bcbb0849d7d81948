import { formatTry, type Micros } from '../../contract/money.ts';
import type { Config } from '../config/config.ts';
import { sumChargedSince } from '../ledger/journal/sums.ts';
import { listConditions } from '../ledger/notices/conditions.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { getAccountFigures } from '../ledger/reports/account-figures.ts';
import { getWatchFigures } from '../ledger/reports/watch-figures.ts';
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
  for (const { id } of config.accounts.values()) {
    const charged = await sumChargedSince(ledger.db, id, at - DAY);
    const { balance, balanceAt, due, pending } = await getAccountFigures(ledger, id);
    total += charged.amount;
    urls += charged.urls;
    const known =
      balance === null
        ? 'balance not known'
        : `balance ${formatTry(balance)} (read ${formatSpan(at - (balanceAt ?? at))} ago)`;
    lines.push(
      `Account ${id}: ${charged.urls} URLs submitted, ${formatTry(charged.amount)} charged, ${known}, ` +
        `${due.count} batches due, ${pending.count} jobs not ended.`,
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
  const title = `Last 24 hours: ${urls} URLs submitted, ${formatTry(amount)} charged, ${open.length} open`;
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
