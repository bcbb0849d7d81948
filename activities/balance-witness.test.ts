import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { micros } from '../contract/money.ts';
import { sql } from '../src/database/sql.ts';
import type { PendingBatch } from '../src/ledger/batches/batch-queries.ts';
import { recordBalance } from '../src/ledger/money/balance.ts';
import { ACCOUNT, crawled, testLedger } from '../test/support/ledger.ts';
import { witnessBalanceBefore } from './balance-witness.ts';
import type { Deps } from './deps.ts';

describe('the balance before a batch, where charges are not reported', () => {
  testLedger('is read again once it is older than ten minutes', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1'] });
    await ledger.db.run(sql`
      INSERT INTO journal (account_id, watch_id, kind, of_id, from_bucket, to_bucket, amount, counted, day, urls, unpriced, at)
      SELECT ${ACCOUNT.id}, id, 'batch', 1, 'sent', 'assumed', 1, 1, 0, 1, 0, ${ledger.now()} FROM watches`);
    let reads = 0;
    const body = { kind: 'success', data: { balance: micros(5_000_000) } };
    const request = async () => {
      reads += 1;
      return { body };
    };
    const deps = {
      ledger,
      now: ledger.now,
      getApi: () => ({ request }),
      log: { debug: () => undefined },
    } as unknown as Deps;
    const witness = () => witnessBalanceBefore(deps, ACCOUNT.id, { attempts: 0 } as PendingBatch);
    await recordBalance(ledger, ACCOUNT.id, micros(5_000_000));
    ledger.pass(10 * 60_000);
    await witness();
    assert.equal(reads, 0);
    ledger.pass(1);
    await witness();
    assert.equal(reads, 1);
  });
});
