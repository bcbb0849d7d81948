import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { sql } from '../../src/database/sql.ts';
import { type Bench, serviceTest, urlList } from '../../test/support/service.ts';
import { readQueue } from '../metrics/queue.ts';
import { runDispatcher, type StartProcessing } from './dispatcher.ts';

const HOUR_MS = 3_600_000;

async function submit({ client }: Bench, count: number): Promise<string[]> {
  const references: string[] = [];
  for (let index = 0; index < count; index++) {
    const { body } = await client.post('/submissions', `dispatch-${index}-0`, { urls: urlList(1) });
    references.push(body.data.reference);
  }
  return references;
}

/** Starts a dispatcher, and ends it once it has handed over so many. Returns what it handed over. */
async function dispatch({ db }: Bench, count: number, start: StartProcessing = async () => undefined) {
  const started: string[] = [];
  const done = Promise.withResolvers<void>();
  const dispatcher = runDispatcher(
    db,
    async (reference, service) => {
      await start(reference, service);
      started.push(reference);
      if (new Set(started).size === count) done.resolve();
    },
    { sweepMs: 20, now: Date.now, onError: () => undefined },
  );
  await done.promise;
  await dispatcher.close();
  return started;
}

describe('the dispatcher', () => {
  serviceTest('hands over at its start what has not ended, and nothing of it counts as waiting', async (bench) => {
    const { db } = bench;
    const references = await submit(bench, 45);
    const [ended = '', ...open] = references;
    await db.run(sql`UPDATE submissions SET dispatched_at = created_at, created_at = created_at - ${HOUR_MS}`);
    await db.run(sql`UPDATE submissions SET status = 'completed', finished_at = 1 WHERE reference = ${ended}`);
    const waiting: number[] = [];
    const started = await dispatch(bench, 44, async () => {
      for (const queue of await readQueue(db, Date.now())) waiting.push(queue.waiting);
    });
    assert.deepEqual(started.toSorted(), open.toSorted());
    assert.deepEqual([...new Set(waiting)], [0]);
  });

  serviceTest('hands over what is new first, and continues where Temporal could not be reached', async (bench) => {
    const { db } = bench;
    const [fresh = '', ...old] = await submit(bench, 25);
    await db.run(sql`UPDATE submissions SET dispatched_at = created_at WHERE reference <> ${fresh}`);
    let left = 22;
    const started = await dispatch(bench, 25, async () => {
      if (left-- === 0) throw new Error('unreachable');
    });
    assert.equal(started[0], fresh);
    assert.deepEqual([...new Set(started)].toSorted(), [fresh, ...old].toSorted());
  });
});
