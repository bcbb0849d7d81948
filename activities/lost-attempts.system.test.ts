import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { ApplicationFailure } from '@temporalio/common';
import { DatabaseUnavailableError } from '../src/database/database.ts';
import type { AccountId } from '../src/submission/ids.ts';
import { retryLater } from '../src/temporal-api/retry-later.ts';
import { runActivities, watch } from '../test/replay/scenarios.ts';
import { withWorker } from '../test/support/temporal.ts';
import { watchSitemap } from '../workflows/index.ts';
import { workerStops } from './lost-attempts.ts';
import { countAttempts } from './shown-waits.ts';

const QUICK = { outageWaits: { baseMs: 2, maxMs: 10 } };
const away = () => new DatabaseUnavailableError('Postgres cannot be used: connect ECONNREFUSED 127.0.0.1:5432');
const defect = () =>
  ApplicationFailure.create({ message: 'a page without an end', type: 'TypeError', nextRetryDelay: 1 });
const crawled = { urls: 10, sitemaps: 1, complete: true, problems: [] };

/** Runs the workflow of a watch, an activity of which fails so until nothing is left. Returns how often it counted itself. */
async function play(t: TestContext, name: 'crawlWatch' | 'awaitRun', failures: readonly Error[]) {
  const counted: number[] = [];
  const left = [...failures];
  const base = runActivities();
  const work = async () => {
    counted.push(countAttempts(undefined));
    const failure = left.shift();
    if (failure !== undefined) throw failure;
    return name === 'crawlWatch' ? crawled : await (base.awaitRun as () => Promise<never>)();
  };
  const { client, taskQueue } = await withWorker(t, { ...base, [name]: work }, QUICK);
  const handle = await client.workflow.start(watchSitemap, {
    taskQueue,
    workflowId: randomUUID(),
    args: [{ watch, account: 'main' as AccountId, until: 'terminal' }],
  });
  const ended = await handle.result().then(
    () => 'completed',
    (error: Error) => ((error.cause as Error).cause as Error).message,
  );
  const events = (await handle.fetchHistory()).events?.length ?? 0;
  return { ended, counted, events };
}

const times = (count: number, make: () => Error): Error[] => Array.from({ length: count }, make);

describe('an attempt that the database or the end of a worker took', () => {
  test('a crawl that met twelve of them ends well, and its history is as long as without', async (t) => {
    const { ended, counted, events } = await play(t, 'crawlWatch', [...times(8, away), ...times(4, workerStops)]);
    assert.equal(ended, 'completed');
    assert.deepEqual(new Set(counted), new Set([1]));
    const { events: without } = await play(t, 'crawlWatch', []);
    assert.equal(events, without);
  });

  test('the crawl itself fails five times at most, whatever came between', async (t) => {
    const failures = [...times(2, defect), ...times(6, away), defect(), workerStops(), ...times(9, defect)];
    const { ended, counted } = await play(t, 'crawlWatch', failures);
    assert.equal(ended, 'a page without an end');
    assert.deepEqual(counted, [1, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 5]);
  });

  test('a wait grows with its own attempts alone', async (t) => {
    const wait = () => retryLater(1, 'the batches are open');
    const { ended, counted } = await play(t, 'awaitRun', [wait(), ...times(5, away), wait(), away()]);
    assert.equal(ended, 'completed');
    assert.deepEqual(counted, [1, 2, 2, 2, 2, 2, 2, 3, 3]);
  });
});
