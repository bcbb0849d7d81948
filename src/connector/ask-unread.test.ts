import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { testLedger } from '../../test/support/ledger.ts';
import type { Config } from '../config/config.ts';
import { readConfig } from '../config/load.ts';
import { sql } from '../database/sql.ts';
import { createUnreadWatch } from './ask-unread.ts';

const configWith = (lines: string): Config =>
  readConfig(
    [
      'version: 1',
      'accounts:',
      `  main: { base_url: "https://a.example/api/v1", api_key: { env: UNUSED }${lines} }`,
      '  other: { base_url: "https://b.example/api/v1", api_key: { env: UNUSED } }',
      'watches:',
      '  shop: { account: main, sitemaps: [a.xml], hosts: [a.example] }',
      '  blog: { account: other, sitemaps: [b.xml], hosts: [b.example] }',
    ].join('\n'),
    '/courier.yaml',
  );

describe('createUnreadWatch', () => {
  const MAP = ', status_map: { url: { completed: [eklendi] } }';

  testLedger('wakes a dispatcher at the start and after a change, where a job is to be read again', async (ledger) => {
    await ledger.db.run(sql`
      INSERT INTO unread_jobs (batch_id, account_id, found, tried) VALUES (1, 'main', '[]', ' another-version ')`);
    let config = configWith('');
    const woken: string[] = [];
    const watch = createUnreadWatch({ getConfig: () => config, ledger }, async (account) => void woken.push(account));
    await watch();
    assert.deepEqual(woken, ['main'], 'another version of the program has read it');
    await watch();
    assert.deepEqual(woken, ['main'], 'only a change asks again');
    await ledger.db.run(sql`UPDATE unread_jobs SET tried = tried || asked || ' ', asked = NULL`);
    config = configWith(', price_per_url: 0.25 TRY');
    await watch();
    assert.deepEqual(woken, ['main'], 'a price is no word');
    config = configWith(MAP);
    await watch();
    assert.deepEqual(woken, ['main', 'main']);
  });

  testLedger('polls open jobs again after a change: an overdue one may be understood by now', async (ledger) => {
    await ledger.db.run(sql`INSERT INTO ledger_accounts (id) VALUES ('main')`);
    await ledger.db.run(sql`
      INSERT INTO batches (account_id, watch_id, service, project, normalized_project, base_url, generation, urls, price_basis,
        state, planned_at, reference, accepted_at, job_state)
      VALUES ('main', 1, 'standard', 'p', 'p', 'b', 1, 1, 'configured', 'accepted', 0, 'R', 0, 'kapandı')`);
    let config = configWith('');
    const woken: string[] = [];
    const watch = createUnreadWatch({ getConfig: () => config, ledger }, async (account) => void woken.push(account));
    await watch();
    assert.deepEqual(woken, []);
    config = configWith(', status_map: { job: { completed: [kapandı] } }');
    await watch();
    assert.deepEqual(woken, ['main']);
  });

  testLedger('tries again what could not be woken', async (ledger) => {
    await ledger.db.run(sql`
      INSERT INTO unread_jobs (batch_id, account_id, found, tried) VALUES (1, 'main', '[]', ' another-version ')`);
    let down = true;
    let woken = 0;
    const config = configWith('');
    const watch = createUnreadWatch({ getConfig: () => config, ledger }, async () => {
      if (down) throw new Error('no server');
      woken += 1;
    });
    await assert.rejects(watch(), /no server/);
    down = false;
    await watch();
    assert.equal(woken, 1);
  });
});
