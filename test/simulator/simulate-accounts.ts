/**
 * Accounts in trouble beside accounts that have all their batches to send, on the virtual platform: npm run
 * simulate:accounts -- [--accounts 20] [--minutes 10] [--workers 2]. Exit code 1 when a promise is missed:
 * docs/explanation/full-speed.md.
 */
import './platform/real-time.ts';
import './platform/module-hooks.ts';
import './platform/install.ts';
import './platform/compile-once.ts';
import { parseArgs } from 'node:util';
import { realNow } from './platform/real-time.ts';

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '10' },
    workers: { type: 'string', default: '2' },
  },
});
Error.stackTraceLimit = 0;
const { playAccounts } = await import('./world/accounts.ts');

const began = realNow();
const { accounts, slotWaitMs, polls, breaches } = await playAccounts({
  accounts: Number(values.accounts),
  minutes: Number(values.minutes),
  workers: Number(values.workers),
});
for (const { account, trouble, sent, laneUse } of accounts) {
  if (trouble !== 'none') console.log(`${account}, ${trouble}: ${sent} submissions, lane use ${percent(laneUse)}`);
}
const good = accounts.filter(({ trouble }) => trouble === 'none');
const least = Math.min(...good.map(({ laneUse }) => laneUse));
const sent = good.reduce((sum, each) => sum + each.sent, 0);
console.log(`${good.length} others: ${sent} submissions, least lane use ${percent(least)}`);
console.log(`99% of their ${polls} polls got a slot within ${Math.round(slotWaitMs)} ms`);
console.log(`${((realNow() - began) / 1_000).toFixed(0)} s`);
const misses = [...breaches];
if (least < 0.95) misses.push('less than 95% of the submissions lane of an account without trouble was used');
if (slotWaitMs > 1_000) misses.push('polls of accounts without trouble waited more than a second for a slot');
for (const miss of misses) console.log(`missed: ${miss}`);
process.exit(misses.length === 0 ? 0 : 1);

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
