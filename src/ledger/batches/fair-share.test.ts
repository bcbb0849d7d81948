import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  accepted,
  crawled,
  DAY,
  HOUR,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { BatchId, RunId, WatchId } from '../../submission/ids.ts';
import { planRun } from '../plans/make-plan.ts';
import type { WatchPolicy } from '../policy.ts';
import { endRun } from '../runs/runs.ts';
import { listPendingBatches } from './batch-queries.ts';
import { beginSend } from './begin-send.ts';
import { selectShares } from './fair-share.ts';
import { recordAnswer } from './record-answer.ts';

const LARGE = 5_000;
const SMALL = 10;
/** Between two submissions at ten a minute. */
const INTERVAL = 6_000;

let runs = 0;

/** Plans one batch, and copies of it. `urls`: how many it counts, whatever is in its body. */
async function plan(
  ledger: TestLedger,
  name: string,
  urls: number,
  batches = 1,
  service: WatchPolicy['service'] = 'standard',
) {
  const watch = { ...WATCH, id: name as WatchId, service };
  const run = `r${++runs}` as RunId;
  await crawled(ledger, run, { [run]: [`${name}/${runs}`] }, { watch: watch.id, complete: false });
  await planRun(ledger, run, { account: ACCOUNT, watch });
  await endRun(ledger, run, 'finished');
  const { id } = await ledger.db.one(sql<{ id: BatchId }>`SELECT max(id) AS id FROM batches`);
  await ledger.db.run(sql`UPDATE batches SET urls = ${urls} WHERE id = ${id}`);
  for (let copy = 1; copy < batches; copy++) {
    await ledger.db.run(sql`
      INSERT INTO batches (account_id, watch_id, run_id, service, project, base_url, normalized_project, generation,
        idempotency_key, digest, tag, urls, expected_cost, price_basis, state, planned_at)
      SELECT account_id, watch_id, run_id, service, project, base_url, normalized_project, generation,
        ${`${run}-${copy}`}, digest, tag, urls, expected_cost, price_basis, state, planned_at
      FROM batches WHERE id = ${id}`);
  }
  await ledger.db.run(sql`
    INSERT INTO batch_bodies (batch_id, body)
    SELECT b.id, (SELECT body FROM batch_bodies WHERE batch_id = ${id}) FROM batches AS b WHERE b.id > ${id}`);
}

/** Sends the next batch. Returns its watch. */
async function send(ledger: TestLedger, answer: 'accepted' | 'no response' = 'accepted'): Promise<string> {
  ledger.pass(INTERVAL);
  const [first] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
  assert.ok(first !== undefined, 'batches wait');
  const sending = await beginSend(ledger, first.id, { account: ACCOUNT, watch: WATCH });
  assert.ok(sending.kind === 'send' || sending.kind === 'reconcile');
  if (sending.kind === 'send') {
    const outcome =
      answer === 'accepted'
        ? accepted(`R-${first.id}`)
        : ({ kind: 'retry', why: 'unknown', chargeState: 'unknown', retryAfterMs: null, message: '' } as const);
    const recorded = { attempt: sending.attempt, outcome, status: 202, requestId: null };
    await recordAnswer(ledger, first.id, { ...recorded, backoffMs: 2 * INTERVAL });
  }
  return first.watch;
}

async function sendMany(ledger: TestLedger, count: number): Promise<string[]> {
  const order: string[] = [];
  for (let n = 0; n < count; n++) order.push(await send(ledger));
  return order;
}

const countOf = (order: readonly string[], watch: string): number => order.filter((each) => each === watch).length;

const TWO_INTERVALS = 2;

describe('a small batch beside watches with hundreds of waiting batches', () => {
  testLedger('starts within two intervals, each time that its watch has one', async (ledger) => {
    for (let n = 0; n < 10; n++) await plan(ledger, `large-${n}`, LARGE, 100);
    await sendMany(ledger, 3);
    for (let round = 0; round < 20; round++) {
      await plan(ledger, 'news', SMALL);
      assert.ok((await sendMany(ledger, TWO_INTERVALS)).includes('news'), `in round ${round}`);
      // Less than a turn of all large watches: the order of the last turns alone would pass the small one over.
      await sendMany(ledger, round % 5);
    }
  });

  testLedger('starts within two intervals after its watch moved from a busier account', async (ledger) => {
    await plan(ledger, 'large', LARGE, 100);
    await plan(ledger, 'news', SMALL);
    await ledger.db.run(sql`UPDATE watches SET share = 1000000000 WHERE name = 'news'`);
    assert.equal(countOf(await sendMany(ledger, 3), 'news'), 1);
  });

  testLedger('starts within three intervals when it is standard and the others are fast', async (ledger) => {
    await plan(ledger, 'large-a', LARGE, 100, 'fast');
    await plan(ledger, 'large-b', LARGE, 100, 'fast');
    await sendMany(ledger, 10);
    await plan(ledger, 'blog', SMALL);
    assert.equal(await send(ledger), 'blog', 'fast batches had their turns before it came');
    await plan(ledger, 'blog', SMALL);
    assert.deepEqual(countOf(await sendMany(ledger, 3), 'blog'), 1);
  });

  testLedger('is sent again while the others wait, when its first attempt got no response', async (ledger) => {
    await plan(ledger, 'large', LARGE, 100);
    await plan(ledger, 'news', SMALL);
    assert.equal(await send(ledger, 'no response'), 'news');
    const order = await sendMany(ledger, 2 + TWO_INTERVALS);
    assert.equal(countOf(order, 'news'), 1, `in ${order}`);
  });

  testLedger('starts within two intervals while hundreds of batches are looked up', async (ledger) => {
    await plan(ledger, 'doubtful', LARGE, 100);
    await ledger.db.run(sql`
      UPDATE batches SET state = 'sending', attempts = 1, in_doubt_since = ${ledger.now() - DAY}, needs_lookup = 1`);
    await plan(ledger, 'other', LARGE, 10);
    const order = await sendMany(ledger, 4);
    assert.equal(countOf(order, 'other'), 2, `in ${order}: a lookup is a turn`);
    await plan(ledger, 'news', SMALL);
    assert.ok((await sendMany(ledger, TWO_INTERVALS)).includes('news'));
  });
});

describe('watches that all have batches waiting', () => {
  testLedger('share the lane by URLs: no order of sizes starves one', async (ledger) => {
    await plan(ledger, 'large', LARGE, 100);
    await plan(ledger, 'other', LARGE, 100);
    await plan(ledger, 'tiny', 1, 300);
    const order = await sendMany(ledger, 159);
    const [large, other, tiny] = ['large', 'other', 'tiny'].map((watch) => countOf(order, watch));
    // 5,100 and 101 URLs a turn.
    assert.deepEqual([large, other, tiny], [3, 3, 153]);
  });

  testLedger('a watch that was idle for hours has no credit for them', async (ledger) => {
    await plan(ledger, 'busy', LARGE, 100);
    await plan(ledger, 'idle', LARGE);
    await sendMany(ledger, 40);
    ledger.pass(HOUR);
    await plan(ledger, 'idle', LARGE, 40);
    const order = await sendMany(ledger, 20);
    assert.deepEqual([countOf(order, 'busy'), countOf(order, 'idle')], [10, 10]);
  });

  testLedger('fast ones get two turns of three', async (ledger) => {
    await plan(ledger, 'news', SMALL, 100, 'fast');
    await plan(ledger, 'shop', LARGE, 100);
    const order = await sendMany(ledger, 30);
    assert.deepEqual([countOf(order, 'news'), countOf(order, 'shop')], [20, 10]);
  });
});

testLedger('the share of an account is the least one of a watch with a batch that may be sent now', async (ledger) => {
  for (const name of ['first', 'second', 'third']) await plan(ledger, name, SMALL);
  const ids = await ledger.db.all(sql<{ id: number; name: string }>`SELECT id, name FROM watches ORDER BY name`);
  const [first, second, third] = ids.map(({ id }) => id);
  const setWatch = (id: number | undefined, share: number, notBefore: number | null, absentAt: number | null = null) =>
    ledger.db.tx(async (tx) => {
      await tx.run(sql`UPDATE watches SET share = ${share} WHERE id = ${id!}`);
      await tx.run(
        sql`UPDATE batches SET not_before = ${notBefore}, waits_since = ${ledger.now()}, absent_at = ${absentAt} WHERE watch_id = ${id!}`,
      );
    });
  const least = async () => (await ledger.db.one(selectShares(ACCOUNT.id, 'standard', first!, ledger.now()))).least;
  const now = ledger.now();
  await setWatch(first, 300, null);
  await setWatch(second, 200, now + 1);
  await setWatch(third, 100, now + 1, now - HOUR);
  assert.equal(await least(), 300, 'the others wait for their next attempt');
  await setWatch(second, 200, now);
  assert.equal(await least(), 200, 'that of the second may be sent from this moment on');
  await setWatch(third, 100, null);
  assert.equal(await least(), 100);
});
