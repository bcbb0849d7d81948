import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { migrate } from '../../src/database/migrate.ts';
import { raw, sql } from '../../src/database/sql.ts';
import { findStop, getHistoryHold, getRefusalStop } from '../../src/ledger/accounts/stops.ts';
import { getCountedPrice } from '../../src/ledger/journal/prices.ts';
import { LEDGER_MIGRATIONS } from '../../src/ledger/migrations.ts';
import { findOtherAccount, findPassingStop } from '../../src/ledger/money/account-status.ts';
import { getPrice, listPrices } from '../../src/ledger/money/price.ts';
import { ledgerOver } from '../../src/ledger/open-ledger.ts';
import type { AccountId } from '../../src/submission/ids.ts';
import { testOnEach } from '../support/database.ts';

const HOLD = { code: 'unknown_jobs', references: ['R-1', 'a "b"'], more: false };

describe('a ledger of the version before', () => {
  testOnEach('keeps why each account sends nothing', async (db) => {
    await migrate(db, 'ledger', LEDGER_MIGRATIONS.slice(0, 1), 1);
    for (const statement of [
      `INSERT INTO ledger_accounts (id, balance_at, key_rejected_code, key_rejected_params)
        VALUES ('free', 5, NULL, NULL), ('key', 7, 'answer', '{"outcome":"reject_key","text":"status 401"}')`,
      `INSERT INTO ledger_accounts (id, suspended_code, suspended_params)
        VALUES ('held', 'history_hold', '{}'), ('short', 'insufficient_balance', '{"text":"12 TRY"}'), ('refused', NULL, NULL),
          ('once', NULL, NULL), ('other', NULL, NULL)`,
      `INSERT INTO account_history (account_id, hold, held_at) VALUES ('free', NULL, NULL)`,
      `INSERT INTO account_refusals (account_id, status, batches, refusals, message, until)
        VALUES ('refused', 404, '[]', 3, 'not found', 90), ('once', 413, '[4]', 1, 'too large', NULL)`,
      `INSERT INTO ledger_settings (name, value)
        VALUES ('account_identity/other', 'id="1"'), ('account_other_identity/other', 'id="2"')`,
      `INSERT INTO account_waits (account_id, why, since, at, until) VALUES ('free', 'HTTP 503', 1, 2, 3)`,
    ])
      await db.run(raw(statement));
    await db.run(sql`
      INSERT INTO account_history (account_id, hold, held_at) VALUES ('held', ${JSON.stringify(HOLD)}, 6)`);

    const ledger = await ledgerOver(db, () => 10);
    const id = (name: string) => name as AccountId;
    assert.deepEqual(await getHistoryHold(db, id('held')), HOLD);
    assert.equal((await findStop(db, id('held'), 'history'))?.since, 6);
    assert.deepEqual(await findPassingStop(ledger, id('key')), { kind: 'key_rejected', reason: 'status 401' });
    const stop = await getRefusalStop(db, id('refused'));
    assert.deepEqual([stop?.until, stop?.reason.batches, stop?.reason.status], [90, 3, 404]);
    assert.equal(await getRefusalStop(db, id('once')), null);
    assert.equal((await findStop(db, id('once'), 'refusals'))?.counted, '[4]');
    const other = { code: 'other_account', account: 'other', recorded: 'id="1"', shown: 'id="2"' };
    assert.deepEqual(await findOtherAccount(db, { id: id('other'), baseUrl: 'https://s.example' }), other);
    const kinds = await db.all(raw('SELECT account_id, kind FROM account_stops ORDER BY account_id'));
    assert.deepEqual(
      kinds.map((row) => Object.values(row as object).join(' ')),
      ['held history', 'key key', 'once refusals', 'other identity', 'refused refusals'],
    );
  });

  testOnEach('keeps its prices, and those at which open money counts', async (db) => {
    await migrate(db, 'ledger', LEDGER_MIGRATIONS.slice(0, 1), 1);
    await db.run(
      raw(`INSERT INTO prices (account_id, service, price, learned_at)
      VALUES ('both', 'fast', 30, 5), ('learned', 'fast', 40, 6)`),
    );
    await db.run(
      raw(`INSERT INTO counted_prices (account_id, service, price, configured)
      VALUES ('both', 'fast', 35, 35), ('counted', 'fast', 20, 20)`),
    );
    const ledger = await ledgerOver(db, () => 10);
    const read = async (name: string) => {
      const account = name as AccountId;
      const { price, configured } = await getCountedPrice(db, account, 'fast');
      return [(await getPrice(db, account, 'fast', null)).perUrl, price, configured];
    };
    assert.deepEqual(await read('both'), [30, 35, 35]);
    assert.deepEqual(await read('learned'), [40, 0, 0]);
    assert.deepEqual(await read('counted'), [null, 20, 20]);
    const none = { standard: null, fast: null };
    const { fast } = await listPrices(ledger, 'counted' as AccountId, none);
    assert.deepEqual(fast, { perUrl: null, basis: 'unknown', changed: null });
  });
});
