import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Micros, micros, timesMicros } from '../../../contract/money.ts';
import { testOnEach } from '../../../test/support/database.ts';
import { ACCOUNT, crawled, QUARTER, shopUrl, testLedger, WATCH } from '../../../test/support/ledger.ts';
import { recordStatements } from '../../../test/support/record-statements.ts';
import { sql } from '../../database/sql.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import { type Ledger, ledgerOver, openLedger } from '../open-ledger.ts';
import { endRun } from '../runs/runs.ts';
import type { PlanInput } from './allowance.ts';
import { planRun as planRunInTurns } from './make-plan.ts';
import { previewRuns } from './preview-runs.ts';
import type { Plan } from './read-plan.ts';

const R1 = 'r1' as RunId;
const R2 = 'r2' as RunId;
const input = { account: ACCOUNT, watch: WATCH };
const MANY = 11_000;
const pages = (count: number) => Array.from({ length: count }, (_, n) => `p/${String(n).padStart(6, '0')}`);
const cap = (urls: number) => timesMicros(QUARTER, urls);

/** Each batch in a transaction of its own. */
const planRun = (ledger: Ledger, run: RunId, plan: PlanInput): Promise<Plan> => planRunInTurns(ledger, run, plan, 0);

class Killed extends Error {}

/** The ledger of a process that does `between` before a transaction, once so many batches are committed. */
function interrupt(ledger: Ledger, batches: number, between: () => Promise<void>): Ledger {
  let isDone = false;
  const tx: Ledger['db']['tx'] = async (work, options) => {
    if (!isDone && (await listBatches(ledger)).length === batches) {
      isDone = true;
      await between();
    }
    return ledger.db.tx(work, options);
  };
  return { ...ledger, db: { ...ledger.db, tx } };
}

const kill = async (): Promise<never> => {
  throw new Killed();
};

const listBatches = async ({ db }: Ledger) =>
  (await db.all(sql<{ key: string; urls: number }>`SELECT idempotency_key AS key, urls FROM batches ORDER BY id`)).map(
    ({ key, urls }) => [key, urls] as const,
  );

/** Each URL that was planned, with how often. */
const countPlanned = async ({ db }: Ledger) => {
  const { urls, members, most } = await db.one(sql<{ urls: number; members: number; most: number }>`
    SELECT count(DISTINCT url_id) AS urls, count(*) AS members, max(generation) AS most FROM batch_urls`);
  return { urls, members, most };
};

describe('plan next', () => {
  testOnEach('a plan that was killed between any two batches goes on, and equals one that was not', async (db, t) => {
    const now = () => Date.UTC(2026, 0, 15);
    const ledger = await ledgerOver(db, now);
    const other = await openLedger('sqlite::memory:', { now });
    t.after(() => other.close());
    for (const each of [ledger, other]) await crawled(each, R1, { a: pages(MANY) });
    const whole = await planRun(other, R1, input);
    assert.deepEqual([whole.urls, whole.batches, whole.due.new], [MANY, 3, MANY]);
    for (const batches of [0, 1, 2]) await assert.rejects(planRun(interrupt(ledger, batches, kill), R1, input), Killed);
    assert.equal((await listBatches(ledger)).length, 2, 'what was committed stays');
    assert.deepEqual(await planRun(ledger, R1, input), whole);
    assert.deepEqual(await planRun(ledger, R1, input), whole, 'planned twice is planned once');
    assert.deepEqual(await listBatches(ledger), await listBatches(other));
    assert.deepEqual(await countPlanned(ledger), { urls: MANY, members: MANY, most: 1 });
  });

  testLedger('a cap holds exactly, also when the plan is killed in between', async (ledger) => {
    await crawled(ledger, R1, { a: pages(MANY) });
    const capped = { ...input, maxCost: cap(7_000) };
    await assert.rejects(planRun(interrupt(ledger, 1, kill), R1, capped), Killed);
    const kept = await ledger.db.one(sql<{ max_cost: Micros }>`SELECT max_cost FROM runs`);
    assert.equal(kept.max_cost, cap(7_000), 'the cap of the run holds for the batch that is planned already');
    const plan = await planRun(ledger, R1, capped);
    assert.deepEqual([plan.urls, plan.held, plan.cost, plan.due.new], [7_000, 4_000, cap(7_000), MANY]);
    assert.deepEqual(
      (await listBatches(ledger)).map(([, urls]) => urls),
      [5_000, 2_000],
    );
  });

  testLedger('another plan of the account between two batches counts under their cap', async (ledger) => {
    const blog = { ...WATCH, id: 'blog' as WatchId };
    const account = { ...ACCOUNT, spend: { ...ACCOUNT.spend, perDay: cap(MANY + 1) } };
    await crawled(ledger, R1, { a: pages(MANY) });
    await crawled(ledger, R2, { b: ['1', '2', '3'] }, { watch: blog.id });
    const between = async () => {
      assert.equal((await planRun(ledger, R2, { account, watch: blog })).urls, 3);
    };
    const plan = await planRun(interrupt(ledger, 2, between), R1, { account, watch: WATCH });
    assert.deepEqual([plan.urls, plan.held], [MANY - 2, 2]);
    assert.match(plan.heldReason ?? '', /day/);
  });

  testOnEach('two processes that plan one run plan each URL once', async (db, t, url) => {
    const ledger = await ledgerOver(db, () => Date.UTC(2026, 0, 15));
    const other = await openLedger(url, { now: ledger.now });
    t.after(() => other.close());
    await crawled(ledger, R1, { a: pages(MANY) });
    const [one, two] = await Promise.all([planRun(ledger, R1, input), planRun(other, R1, input)]);
    assert.deepEqual(one, two);
    assert.deepEqual([one.urls, one.due.new, one.cost], [MANY, MANY, cap(MANY)]);
    assert.deepEqual(await countPlanned(ledger), { urls: MANY, members: MANY, most: 1 });
  });

  testLedger('the batches of a second share a transaction', async (ledger) => {
    await crawled(ledger, R1, { a: pages(MANY) });
    let ms = 0;
    const now = () => {
      ms += 100;
      return ledger.now() + ms;
    };
    const { db, statements } = recordStatements(ledger.db);
    await planRunInTurns({ ...ledger, db, now }, R1, input);
    const inserts = statements.filter(({ text }) => text.startsWith('INSERT INTO batches'));
    const transactions = inserts.map(({ transaction }) => transaction);
    assert.equal(inserts.length, 3);
    assert.notEqual(transactions[0], transactions[1], 'the first is planned with the count of what is due');
    assert.equal(transactions[1], transactions[2]);
  });

  testLedger(
    'each batch has a transaction of its own where that takes a second, and a preview writes nothing',
    async (ledger) => {
      await crawled(ledger, R1, { a: pages(MANY) });
      const [preview] = await previewRuns(ledger, [{ run: R1, input }]);
      assert.deepEqual(await listBatches(ledger), []);
      const { db, statements } = recordStatements(ledger.db);
      assert.deepEqual(await planRun({ ...ledger, db }, R1, input), preview);
      const inserts = statements.filter(({ text }) => text.startsWith('INSERT INTO batches'));
      assert.equal(inserts.length, 3);
      assert.equal(new Set(inserts.map(({ transaction }) => transaction)).size, 3);
    },
  );

  testLedger(
    'URLs that are far apart share a batch, and a transaction reads a bounded part of what lies between',
    async (ledger) => {
      await crawled(ledger, R1, { a: ['a', 'z'] });
      await planRun(ledger, R1, { ...input, maxCost: micros(0) });
      await endRun(ledger, R1, 'finished');
      await crawled(ledger, R2, { a: ['a', ...pages(31_000), 'z'] });
      const { db, statements } = recordStatements(ledger.db);
      const plan = await planRun({ ...ledger, db }, R2, { ...input, maxCost: cap(2) });
      assert.deepEqual([plan.urls, plan.batches, plan.held], [2, 1, 31_000]);
      const bought = await ledger.db.all(sql<{ url: string }>`SELECT url FROM urls WHERE generation = 1 ORDER BY url`);
      assert.deepEqual(
        bought.map(({ url }) => url),
        [shopUrl('a'), shopUrl('z')],
      );
      const reads = new Map<number | null, number>();
      for (const { text, transaction } of statements) {
        if (!/^UPDATE urls SET state = 'held'/.test(text)) continue;
        reads.set(transaction, (reads.get(transaction) ?? 0) + 1);
      }
      assert.equal(reads.size, 2, 'the held ones are written in two transactions');
      for (const pagesHeld of reads.values()) assert.ok(pagesHeld <= 4, `${pagesHeld} pages in one transaction`);
    },
  );
});
