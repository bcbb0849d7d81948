/**
 * How large histories grow: npm run simulate:small. A run of 50,000 new URLs, and a standard job that takes seven days, a
 * week being shorter here. Exit code 1 when a promise is missed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startRun } from '../../src/connector/run-client.ts';
import { sql } from '../../src/database/sql.ts';
import type { WatchId } from '../../src/submission/ids.ts';
import { HOST } from '../chaos/site.ts';
import { getHistorySizes, type HistorySize } from './histories.ts';
import { openStack, type StackOptions } from './stack.ts';

const misses: string[] = [];
const most = (sizes: readonly HistorySize[], of: 'events' | 'bytes' | 'largestPayload') =>
  Math.max(...sizes.map((size) => size[of]));

async function runOf(
  urls: number,
  options: Omit<StackOptions, 'workers'>,
): Promise<{ sizes: HistorySize[]; polls: number }> {
  const stack = await openStack({ ...options, workers: 1 });
  try {
    stack.site.publish(
      'shop',
      Array.from({ length: urls }, (_, n) => `https://${HOST}/products/${n}`),
    );
    const watch = stack.config.watches.get('shop' as WatchId)!;
    const run = await startRun(stack.client, stack.ledger.id, watch, 'terminal', 'simulated');
    await run.result();
    await sleep(1_000);
    const row = await stack.ledger.db.get(sql<{ polls: number }>`SELECT max(polls) AS polls FROM batches`);
    return { sizes: await getHistorySizes(stack.client), polls: row!.polls };
  } finally {
    await stack.close();
  }
}

function promise(label: string, value: number, limit: number): void {
  console.log(`${label}: ${value.toLocaleString('en')} (at most ${limit.toLocaleString('en')})`);
  if (value > limit) misses.push(label);
}

const large = await runOf(50_000, { service: 'fast', minuteMs: 6_000, jobMinutes: 1 });
for (const type of ['watchSitemap', 'dispatchAccount', 'trackSubmission']) {
  const ofType = large.sizes.filter((size) => size.type === type);
  promise(`50,000 URLs, largest history of ${ofType.length} ${type}, bytes`, most(ofType, 'bytes'), 1_000_000);
}
promise('50,000 URLs, largest payload, bytes', most(large.sizes, 'largestPayload'), 32_767);

// Seven days in 60 seconds: six milliseconds are a minute.
const week = await runOf(100, { service: 'standard', minuteMs: 6, jobMinutes: 7 * 1_440 });
const tracker = week.sizes.filter(({ type }) => type === 'trackSubmission');
const dispatcher = week.sizes.filter(({ type }) => type === 'dispatchAccount');
promise(
  `standard job of seven days, ${week.polls} polls, events of dispatcher and tracker`,
  most(tracker, 'events') + most(dispatcher, 'events'),
  400,
);
for (const miss of misses) console.log(`missed: ${miss}`);
process.exit(misses.length === 0 ? 0 : 1);
