/**
 * A key at full speed: npm run simulate:speed -- [--batches 300] [--workers 3] [--minute 6000]. The programs as
 * processes, one key, the real service; a whole day is played by the simulator (npm run simulate:day). What a minute is, is a setting
 * of both sides; every other length follows. SIGTERM ends it early, with the figures so far. Exit code 1 when a promise
 * is missed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from '../../src/database/sql.ts';
import type { AccountId, WatchId } from '../../src/submission/ids.ts';
import { dispatcherWorkflowId, getTaskQueue } from '../../src/temporal-api/ids.ts';
import { wakeSignal } from '../../src/temporal-api/messages.ts';
import type { dispatchAccount } from '../../workflows/index.ts';
import { HOST } from '../chaos/site.ts';
import { getHistorySizes, sumOf } from './histories.ts';
import { planBatch } from './plan-batches.ts';
import { openStack, type Stack } from './stack.ts';

const { values } = parseArgs({
  options: {
    batches: { type: 'string', default: '300' },
    workers: { type: 'string', default: '3' },
    minute: { type: 'string', default: '6000' },
    'job-minutes': { type: 'string', default: '7' },
  },
});
const batches = Number(values.batches);
const minuteMs = Number(values.minute);
const LANE = 10;
/** So many batches wait at any time: the lane is never idle for want of work. */
const AHEAD = 300;
const DAY = { batches: 14_400, requests: 30_000 };

const account = 'main' as AccountId;
const misses: string[] = [];
let ended = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    ended = true;
  });
}

/** The size of a batch changes nothing about the number of requests. */
const listUrls = (batch: number) => [0, 1, 2].map((page) => `https://${HOST}/${batch}/${page}`);

const settledIn = async ({ ledger }: Stack): Promise<number> =>
  (await ledger.db.get(sql<{ n: number }>`SELECT count(*) AS n FROM batches WHERE settled_at IS NOT NULL`))!.n;

const wake = (stack: Stack) =>
  stack.client.workflow.signalWithStart<typeof dispatchAccount, []>('dispatchAccount', {
    workflowId: dispatcherWorkflowId(stack.ledger.id, account),
    taskQueue: getTaskQueue(stack.ledger.id),
    args: [{ account }],
    signal: wakeSignal,
  });

/** Until every batch is tracked to its end, or for twice as long as it should take. Tells how many were planned. */
async function play(stack: Stack): Promise<number> {
  let planned = 0;
  const lasts = (batches / LANE) * minuteMs;
  const latest = Date.now() + 2 * lasts + 20 * minuteMs;
  for (let reportedAt = Date.now(); !ended && Date.now() < latest; await sleep(200)) {
    const sent = stack.server.posts.length;
    const idle = planned < batches && sent === planned;
    for (; planned < Math.min(batches, sent + AHEAD) && !ended; planned++)
      await planBatch(stack, 'shop' as WatchId, String(planned), listUrls(planned));
    if (idle) await wake(stack);
    if ((await settledIn(stack)) === batches) break;
    if (Date.now() - reportedAt > 60_000) {
      reportedAt = Date.now();
      console.log(figures(stack, await settledIn(stack)));
    }
  }
  return planned;
}

const requestsOf = ({ server }: Stack): number => sumOf([...server.answers.values()]);
const refusedOf = ({ server }: Stack): number =>
  sumOf([...server.answers].filter(([answer]) => answer.endsWith(' 429')).map(([, times]) => times));

function laneUse({ server }: Stack): { minutes: number; used: number } {
  const { posts } = server;
  const minutes = ((posts.at(-1) ?? 0) - (posts[0] ?? 0)) / minuteMs;
  return { minutes, used: (posts.length - LANE) / (LANE * minutes) };
}

function figures(stack: Stack, settled: number): string {
  const { minutes, used } = laneUse(stack);
  const sent = stack.server.posts.length;
  return (
    `${sent} batches sent, ${settled} tracked to their end; 429 answers: ${refusedOf(stack)}; ` +
    `submissions lane used: ${(100 * used).toFixed(1)}% over ${minutes.toFixed(1)} minutes; ` +
    `requests: ${requestsOf(stack)}, ${(requestsOf(stack) / sent).toFixed(2)} a batch`
  );
}

const stack = await openStack({
  workers: Number(values.workers),
  service: 'fast',
  minuteMs,
  jobMinutes: Number(values['job-minutes']),
});
try {
  const planned = await play(stack);
  const settled = await settledIn(stack);
  await sleep(2_000);

  const { used } = laneUse(stack);
  const perBatch = requestsOf(stack) / stack.server.posts.length;
  console.log(`${batches} batches wanted, ${planned} planned; ${values.workers} workers, minute = ${minuteMs} ms`);
  console.log(figures(stack, settled));
  console.log(`answers: ${[...stack.server.answers].map((each) => each.join(': ')).join(', ')}`);
  if (settled !== batches) misses.push(`${batches - settled} batches did not end`);
  if (refusedOf(stack) > 0) misses.push('a 429 was provoked');
  if (used < 0.95) misses.push('less than 95% of the submissions lane was used');
  if (perBatch > DAY.requests / DAY.batches)
    misses.push('a day of 14,400 batches would need more than 30,000 requests');

  const sizes = await getHistorySizes(stack.client, 1_000);
  const of = (type: string) => sizes.filter((size) => size.type === type);
  const eventsOf = (type: string) => sumOf(of(type).map((size) => size.events));
  const trackers = of('trackSubmission').length;
  const events = eventsOf('trackSubmission') / trackers + eventsOf('dispatchAccount') / stack.server.posts.length;
  const payload = Math.max(...sizes.map((size) => size.largestPayload));
  console.log(
    `history: ${events.toFixed(1)} events a batch, dispatcher (${of('dispatchAccount').length} executions) and tracker ` +
      `(${trackers} of them read); largest payload ${payload} bytes`,
  );
  const actionsOf = (type: string) => sumOf(of(type).map((size) => size.actions));
  const [dispatching, tracking] = [
    actionsOf('dispatchAccount') / stack.server.posts.length,
    actionsOf('trackSubmission') / trackers,
  ];
  console.log(
    `actions on Temporal Cloud: ${(dispatching + tracking).toFixed(1)} a batch, ${dispatching.toFixed(1)} of the dispatcher ` +
      `and ${tracking.toFixed(1)} of the tracker`,
  );
  if (events > 40) misses.push('more than 40 events a batch');
  if (payload >= 32_768) misses.push('a payload of 32 KB or more');
} finally {
  await stack.close();
}
for (const miss of misses) console.log(`missed: ${miss}`);
process.exit(misses.length === 0 ? 0 : 1);
