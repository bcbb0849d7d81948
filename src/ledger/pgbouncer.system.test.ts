import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ACCOUNT, crawled, sendAll, WATCH } from '../../test/support/ledger.ts';
import { findPgBouncer, startPgBouncer } from '../../test/support/pgbouncer.ts';
import { openDatabase } from '../database/open.ts';
import { raw, sql } from '../database/sql.ts';
import type { RunId } from '../submission/ids.ts';
import { recordPoll } from './jobs/record-poll.ts';
import { settleJob } from './jobs/settle-job.ts';
import { openLedger } from './open-ledger.ts';
import { planRun } from './plans/make-plan.ts';
import { getAccountTotals } from './reports/totals.ts';
import { endRun } from './runs/runs.ts';

const program = findPgBouncer();
const postgres = process.env.COURIER_TEST_POSTGRES;
const skip =
  (program === null && 'PgBouncer is not installed') ||
  (postgres === undefined && 'COURIER_TEST_POSTGRES names no Postgres');

describe('PgBouncer in transaction mode', { skip }, () => {
  test('two programs work on a ledger through it, with their schema and limits in every transaction', async (t) => {
    const pooler = await startPgBouncer(t, program ?? '', postgres ?? '');
    pooler.searchParams.set('pooler', 'transaction');
    // Another program leaves its settings on the connections.
    const other = openDatabase(pooler.href);
    t.after(() => other.close());
    await other.run(raw('SET search_path = pg_catalog; SET lock_timeout = 7'));

    pooler.searchParams.set('schema', `bouncer_${process.pid}_${Date.now()}`);
    const ledgers = await Promise.all([openLedger(pooler.href), openLedger(pooler.href)]);
    for (const ledger of ledgers) t.after(() => ledger.close());
    const buy = async (ledger: (typeof ledgers)[number], name: string) => {
      const watch = { ...WATCH, id: name as typeof WATCH.id };
      const run = `run-${name}` as RunId;
      await crawled(ledger, run, { a: Array.from({ length: 50 }, (_, n) => `${name}/${n}`) }, { watch: watch.id });
      await planRun(ledger, run, { account: ACCOUNT, watch });
      await endRun(ledger, run, 'finished');
    };
    await Promise.all(ledgers.flatMap((ledger, at) => ['a', 'b', 'c'].map((name) => buy(ledger, `${name}${at}`))));
    const [ledger] = ledgers;
    for (const reference of await sendAll(ledger!)) {
      await recordPoll(ledger!, ACCOUNT.id, reference, { state: 'completed', terminalStates: ['completed'] });
      await settleJob(ledger!, ACCOUNT.id, reference, { retryFailed: { times: 0, afterMs: 0 } });
    }
    const totals = await getAccountTotals(ledgers[1]!, ACCOUNT.id);
    assert.equal(totals.chargedEver, 6 * 50 * 250_000);
    const settings = await Promise.all(
      Array.from({ length: 20 }, () =>
        ledger!.db.one(sql<{ lock: string; schema: string }>`
          SELECT current_setting('lock_timeout') AS lock, current_schema() AS schema`),
      ),
    );
    for (const { lock, schema } of settings) assert.deepEqual([lock, schema], ['1min', ledger!.db.schema]);
  });

  test('an address without pooler=transaction is refused with what to change', async (t) => {
    const pooler = await startPgBouncer(t, program ?? '', postgres ?? '');
    await assert.rejects(openLedger(pooler.href), /add \?pooler=transaction .* Nothing was written/);
  });
});
