/**
 * A key at full speed: npm run simulate:speed -- [--batches 300] [--workers 3] [--minute 6000].
 * Several workers, one key, a service that counts strictly. What a minute is, is a setting of both sides; every other
 * length follows. Exit code 1 when a promise is missed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from '../../src/database/sql.ts';
import { diffRun } from '../../src/ledger/diff-run.ts';
import { observe } from '../../src/ledger/observe.ts';
import { planRun } from '../../src/ledger/plan-run.ts';
import { beginRun, endRun } from '../../src/ledger/runs.ts';
import type { AccountId, RunId, WatchId } from '../../src/submission/ids.ts';
import type { Url } from '../../src/url/url.ts';
import { dispatcherWorkflowId, TASK_QUEUE } from '../../workflows/ids.ts';
import type { dispatchAccount } from '../../workflows/index.ts';
import { wakeSignal } from '../../workflows/messages.ts';
import { HOST } from '../faults/site.ts';
import { historySizes, sumOf } from './histories.ts';
import { openStack, type Stack } from './stack.ts';

const { values } = parseArgs({
  options: {
    batches: { type: 'string', default: '300' },
    workers: { type: 'string', default: '3' },
    minute: { type: 'string', default: '6000' },
  },
});
const batches = Number(values.batches);
const minuteMs = Number(values.minute);
const LANE = 10;

/** One batch a run, straight into the ledger: crawling is not what is measured. */
async function plan({ ledger, config }: Stack): Promise<void> {
  const watch = config.watches.get('shop' as WatchId)!;
  const account = config.accounts.get(watch.account)!;
  for (let n = 0; n < batches; n++) {
    const run = `planned-${n}` as RunId;
    const sitemap = `https://${HOST}/${n}.xml`;
    const start = { watch: watch.id, account: account.id, run, sources: [sitemap], scope: '' };
    await beginRun(ledger, { ...start, firstRun: 'submit' });
    const observation = await observe(ledger, run);
    const pages = [0, 1, 2].map((page) => ({
      url: `https://${HOST}/${n}/${page}` as Url,
      lastmod: null,
      lastmodAt: null,
    }));
    await observation.entries(sitemap, pages);
    await observation.verdict(sitemap, {
      verdict: 'complete',
      kind: 'urlset',
      urls: pages.length,
      fingerprint: `${n}`,
    });
    await diffRun(ledger, run, { complete: false });
    await planRun(ledger, run, { watch, account });
    await endRun(ledger, run, 'finished');
  }
}

const stack = await openStack({ workers: Number(values.workers), service: 'fast', minuteMs, jobMinutes: 7 });
const misses: string[] = [];
try {
  await plan(stack);
  const account = 'main' as AccountId;
  await stack.client.workflow.signalWithStart<typeof dispatchAccount, []>('dispatchAccount', {
    workflowId: dispatcherWorkflowId(account),
    taskQueue: TASK_QUEUE,
    args: [{ account }],
    signal: wakeSignal,
  });
  for (const end = Date.now() + batches * minuteMs; Date.now() < end; await sleep(500)) {
    const row = await stack.ledger.db.get(sql<{ open: number }>`
      SELECT count(*) AS open FROM batches WHERE settled_at IS NULL`);
    if (row!.open === 0) break;
  }
  const settled = await stack.ledger.db.get(sql<{ n: number }>`
    SELECT count(*) AS n FROM batches WHERE settled_at IS NOT NULL`);
  await sleep(2_000);

  const { posts, answers } = stack.proxy;
  const minutes = (posts.at(-1)! - posts[0]!) / minuteMs;
  const used = (posts.length - LANE) / (LANE * minutes);
  const refused = sumOf([...answers].filter(([answer]) => answer.endsWith(' 429')).map(([, times]) => times));
  const requests = sumOf([...answers.values()]);
  const sizes = await historySizes(stack.client);
  const events = sumOf(sizes.map((size) => size.events)) / batches;
  const payload = Math.max(...sizes.map((size) => size.largestPayload));
  console.log(
    `${settled!.n} of ${batches} batches tracked to their end, ${values.workers} workers, minute = ${minuteMs} ms`,
  );
  console.log(
    `429 answers: ${refused}; submissions lane used: ${(100 * used).toFixed(1)}% over ${minutes.toFixed(1)} minutes`,
  );
  console.log(
    `requests: ${requests}, ${(requests / batches).toFixed(2)} a batch (${[...answers].map((each) => each.join(': ')).join(', ')})`,
  );
  console.log(`history: ${events.toFixed(1)} events a batch, dispatcher and tracker; largest payload ${payload} bytes`);
  if (settled!.n !== batches) misses.push('not every batch came to its end');
  if (refused > 0) misses.push('a 429 was provoked');
  if (used < 0.95) misses.push('less than 95% of the submissions lane was used');
  if (requests / batches > 30_000 / 14_400) misses.push('a day of 14,400 batches would need more than 30,000 requests');
  if (events > 40) misses.push('more than 40 events a batch');
  if (payload >= 32_768) misses.push('a payload of 32 KB or more');
} finally {
  await stack.close();
}
for (const miss of misses) console.log(`missed: ${miss}`);
process.exit(misses.length === 0 ? 0 : 1);
