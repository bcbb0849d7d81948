import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { micros } from '../../contract/money.ts';
import { sql } from '../../src/database/sql.ts';
import { changeEntries } from '../../test/support/change-entries.ts';
import { type Bench, lira, serviceTest, urlList } from '../../test/support/service.ts';
import { expire } from '../processing/transitions.ts';
import { auditAccount, isSound } from './account-audit.ts';
import { accountAuditCsv } from './account-audit-csv.ts';

const OCTOBER = Date.parse('2026-10-15T00:00:00Z');
const toMonth = (at: number) => new Date(at).toISOString().slice(0, 7);

async function useAccount({ client, db, service, account }: Bench) {
  const { reference } = (await client.post('/submissions', 'audit-account-1', { urls: urlList(4) })).body.data;
  await expire(db, reference, 'too late', { refundFailed: true, now: Date.now() });
  await client.post('/submissions', 'audit-account-2', { urls: urlList(2) });
  await client.post('/index-check', 'audit-account-3', { urls: urlList(1) });
  await client.post('/index-check', 'audit-account-4', { urls: ['https://shop.example/~down'] });
  await service.accounts.topUp(account, lira('5'), { reference: 'invoice 1' });
  await changeEntries(db, sql`UPDATE entries SET created_at = ${OCTOBER} WHERE subject = 'opening'`);
  return db.one(sql<{ id: never }>`SELECT id FROM accounts WHERE name = ${account}`);
}

describe('the audit of one account', () => {
  serviceTest('adds up every month, and all sums agree', async (bench) => {
    const { id } = await useAccount(bench);
    const audit = await auditAccount(bench.db, id, toMonth);
    assert.ok(isSound(audit), JSON.stringify(audit));
    assert.deepEqual([audit.sum, audit.spent, audit.broken], [lira('1004'), lira('1'), 0]);
    const [october, now, ...rest] = audit.months;
    assert.deepEqual(rest, []);
    assert.deepEqual(october, {
      ...{ month: '2026-10', opening: 0, closing: lira('1000'), count: 1 },
      totals: { top_up: lira('1000') },
    });
    assert.deepEqual([now?.opening, now?.closing], [lira('1000'), lira('1004')]);
    const totals = { charge: micros(-2_500_000), refund: lira('1'), restore: lira('0.5'), top_up: lira('5') };
    assert.deepEqual({ ...now?.totals }, totals);
    const lines = accountAuditCsv(audit).trim().split('\r\n');
    assert.equal(lines[1], '2026-10,0.00,1000.00,0.00,0.00,0.00,0.00,1000.00,1');
    assert.equal(lines.at(-1), 'balance,,,,,,,1004.00,');
  });

  for (const [name, damage] of [
    ['a balance that is not the sum', sql`UPDATE accounts SET balance = balance + 1`],
    ['a submission that cost something else', sql`UPDATE submissions SET refunded = refunded + 1 WHERE refunded > 0`],
  ] as const) {
    serviceTest(`tells ${name}`, async (bench) => {
      const { id } = await useAccount(bench);
      await bench.db.run(damage);
      assert.equal(isSound(await auditAccount(bench.db, id, toMonth)), false);
      // The bench audits its balances at the end.
      await bench.db.run(
        sql`UPDATE accounts SET balance = (SELECT sum(amount) FROM entries WHERE account_id = accounts.id)`,
      );
    });
  }

  serviceTest('tells an entry that does not follow from the one before', async (bench) => {
    const { id } = await useAccount(bench);
    const change = (by: number) =>
      changeEntries(bench.db, sql`UPDATE entries SET balance_after = balance_after + ${by} WHERE kind = 'refund'`);
    await change(1);
    const audit = await auditAccount(bench.db, id, toMonth);
    assert.deepEqual([audit.broken, isSound(audit)], [1, false]);
    await change(-1);
  });
});
