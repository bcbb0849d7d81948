import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { testOnEach } from '../../test/support/database.ts';
import { ACCOUNT, WATCH } from '../../test/support/ledger.ts';
import { migrate } from '../database/migrate.ts';
import { raw, sql } from '../database/sql.ts';
import type { BatchId, RunId } from '../submission/ids.ts';
import { parseReason, renderReason, type StoredReason } from '../submission/reason.ts';
import { getBatch } from './batches/batch-queries.ts';
import { listQuarantined } from './jobs/quarantine.ts';
import { LEDGER_MIGRATIONS } from './migrations.ts';
import { getAccountStatus } from './money/account-status.ts';
import { ledgerOver } from './open-ledger.ts';
import { listHeldRuns } from './reports/held-runs.ts';
import { listBatches } from './reports/lists.ts';
import { getRunSummary } from './reports/run-summary.ts';
import { getAccountTotals } from './reports/totals.ts';

describe('ledger migrations', () => {
  testOnEach('a ledger of the first release keeps every row under the current names', async (db) => {
    await migrate(db, 'ledger', LEDGER_MIGRATIONS.slice(0, 4), 1);
    await db.run(raw('ALTER TABLE schema_migrations RENAME COLUMN component TO room'));
    await db.run(sql`
    INSERT INTO ledger_accounts (id, turn, balance, balance_at, parked, refused)
    VALUES ('main', 7, 1000000, 5, 'no money', 'wrong key')`);
    await db.run(sql`INSERT INTO watches (id, name, account_id) VALUES (1, 'shop', 'main')`);
    await db.run(sql`
    INSERT INTO runs (id, name, watch_id, account_id, scope, baseline, first_run, started_at, touched_at, decided_at,
      held_urls, held_reason)
    VALUES (1, 'r1', 1, 'main', '', 0, 1, 1, 1, 2, 3, 'the cap "watch" leaves 0.00 TRY')`);
    await db.run(sql`
    UPDATE runs SET held = ${JSON.stringify({ reasons: ['6 new URLs, "more" than 5', 'and a cap'], sample: ['https://shop.example/1'] })}`);
    await db.run(sql`
    INSERT INTO urls (id, fp, watch_id, sitemap_id, url, first_run, state, cleared)
    VALUES (1, 11, 1, 1, 'https://shop.example/1', 1, 'planned', 1)`);
    await db.run(sql`
    INSERT INTO urls (id, fp, watch_id, sitemap_id, url, first_run, state, reason)
    VALUES (2, 12, 1, 1, 'https://shop.example/2', 1, 'quarantined', ${`the service's "host" \\ is unknown`})`);
    await db.run(sql`
    INSERT INTO checks (account_id, watch_id, round, idempotency_key, digest, body, urls, expected_cost, state, reason,
      planned_at)
    VALUES ('main', 1, 1, 'sc1-c', 'd', '{}', 1, 500000, 'stopped', 'no answer came', 3)`);
    await db.run(sql`
    INSERT INTO batches (id, account_id, watch_id, run_id, service, project, base_url, plain_project, generation,
      idempotency_key, digest, tag, urls, expected_cost, price_basis, state, reason, planned_at, attempts,
      first_sent_at, last_sent_at, unknown_since, lost, looks, looked_at)
    VALUES (1, 'main', 1, 1, 'standard', 'Shop [sc1]', 'https://service.example/api/v1', 'Shop', 1, 'sc1-1', 'd', 'sc1',
      1, 250000, 'configured', 'stopped', 'ask the service', 3, 2, 4, 5, 4, 1, 3, 6)`);
    await db.run(sql`
    INSERT INTO batch_answers (batch_id, attempt, at, kind, charge_state)
    VALUES (1, 1, 4, 'park', 'none'), (1, 2, 5, 'stop-account', 'none')`);
    await db.run(sql`
    INSERT INTO charges (account_id, watch_id, run_id, kind, of_id, urls, amount, told, at)
    VALUES ('main', 1, 1, 'batch', 9, 1, 250000, 1, 4)`);

    const ledger = await ledgerOver(db, () => 10);

    const row = await getBatch(db, 1 as BatchId);
    assert.deepEqual(
      [row.state, row.in_doubt_since, row.needs_lookup, row.normalized_project, row.attempts],
      ['needs_review', 4, 1, 'Shop', 2],
    );
    const [line] = await listBatches(ledger, { run: 'r1' as RunId });
    assert.equal(line?.reason, 'ask the service');
    assert.deepEqual(await getAccountStatus(ledger, ACCOUNT.id), {
      suspended: null,
      keyRejected: { code: 'text', text: 'wrong key' },
    });
    const suspended = await db.one(sql<StoredReason>`
    SELECT suspended_code AS reason_code, suspended_params AS reason_params FROM ledger_accounts`);
    assert.deepEqual(parseReason(suspended), { code: 'text', text: 'no money' });
    const [held] = await listHeldRuns(ledger, WATCH.id);
    assert.deepEqual(held?.reasons.map(renderReason), ['6 new URLs, "more" than 5', 'and a cap']);
    assert.deepEqual(held?.sample, ['https://shop.example/1']);
    assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedEver, 250_000);
    const kinds = await db.all(sql`SELECT kind FROM batch_answers ORDER BY attempt`);
    assert.deepEqual(
      kinds.map((each) => ({ ...(each as object) })),
      [{ kind: 'suspend' }, { kind: 'reject_key' }],
    );
    const url = await db.one(sql<StoredReason & { guard_passed: number }>`
    SELECT guard_passed, reason_code, reason_params FROM urls WHERE id = 1`);
    assert.deepEqual([url.guard_passed, parseReason(url)], [1, null]);
    const [quarantined] = await listQuarantined(ledger);
    assert.equal(quarantined?.reason, `the service's "host" \\ is unknown`);
    assert.equal((await getRunSummary(ledger, 'r1' as RunId)).heldReason, 'the cap "watch" leaves 0.00 TRY');
    const check = await db.one(sql<StoredReason>`SELECT reason_code, reason_params FROM checks`);
    assert.deepEqual(parseReason(check), { code: 'text', text: 'no answer came' });
    const versions = await db.one<{ version: number }>(
      sql`SELECT max(version) AS version FROM schema_migrations WHERE component = 'ledger'`,
    );
    assert.equal(versions.version, LEDGER_MIGRATIONS.length);
  });

  testOnEach('the sentence of a batch that its account held back stays readable', async (db) => {
    const before = LEDGER_MIGRATIONS.findIndex(({ name }) => name === 'reasons of accounts, holds and guards as codes');
    await migrate(db, 'ledger', LEDGER_MIGRATIONS.slice(0, before), 1);
    await db.run(sql`INSERT INTO ledger_accounts (id) VALUES ('main')`);
    await db.run(sql`INSERT INTO watches (id, name, account_id) VALUES (1, 'shop', 'main')`);
    await db.run(sql`
    INSERT INTO batches (id, account_id, watch_id, run_id, service, project, base_url, normalized_project, generation,
      urls, expected_cost, price_basis, state, reason_code, reason_params, planned_at, digest)
    VALUES (1, 'main', 1, 1, 'standard', 'Shop', 'https://service.example/api/v1', 'Shop', 1, 1, 250000, 'configured',
      'planned', 'history_hold', ${JSON.stringify({ text: 'run "courier recover"' })}, 3, 'd')`);

    await ledgerOver(db, () => 10);

    assert.deepEqual(parseReason(await getBatch(db, 1 as BatchId)), { code: 'text', text: 'run "courier recover"' });
  });
});
