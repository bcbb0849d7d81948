import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startFakeService } from '../../../test/fakes/service/fake-service.ts';
import { createTestConnector, KEY } from '../../../test/support/test-connector.ts';
import { readConfig } from '../../config/load.ts';
import { moveAccount } from '../../ledger/money/account.ts';
import { findBalance } from '../../ledger/money/balance.ts';
import type { AccountId } from '../../submission/ids.ts';
import { checkService } from './check-service.ts';

const id = 'main' as AccountId;

describe('the service of an account', () => {
  test('that is another than its jobs belong to is named as the cause, and is sent no key', async (t) => {
    const other = await startFakeService(t, { apiKey: 'the key of somebody else' });
    process.env.COURIER_TEST_API_KEY = KEY;
    const { ledger } = await createTestConnector(t, { baseUrl: other.baseUrl });
    await moveAccount(ledger, { id, baseUrl: 'https://service.example/api/v1' });
    const config = readConfig(
      `{version: 1, accounts: {main: {base_url: "${other.baseUrl}", api_key: {env: COURIER_TEST_API_KEY}}}, watches: {}}`,
      '/courier.yaml',
    );
    const account = config.accounts.get(id);
    assert.ok(account !== undefined);
    const findings = await checkService(config, ledger, account, t.signal);
    const failed = findings.find(({ check }) => check === 'account');
    assert.match(failed?.message ?? '', /^Account main belongs to https:\/\/service\.example.*names http:\/\/127/);
    assert.match(failed?.next ?? '', /courier accounts move main/);
    assert.deepEqual(
      findings.filter(({ check }) => check === 'key' || check === 'balance'),
      [],
    );
    assert.equal(await findBalance(ledger.db, id), null);
    assert.equal(other.counts.balance, 0);
  });

  test('has a key that nobody else on the machine can read, or doctor warns of it', async (t) => {
    const service = await startFakeService(t, { apiKey: KEY });
    const { ledger } = await createTestConnector(t, { baseUrl: service.baseUrl });
    const file = join(mkdtempSync(join(tmpdir(), 'courier-key-')), 'courier.key');
    writeFileSync(file, KEY);
    const config = readConfig(
      `{version: 1, accounts: {main: {base_url: "${service.baseUrl}", api_key: {file: "${file}"}}}, watches: {}}`,
      '/courier.yaml',
    );
    const account = config.accounts.get(id);
    assert.ok(account !== undefined);
    for (const [mode, level] of [
      [0o644, 'warn'],
      [0o640, 'ok'],
      [0o600, 'ok'],
    ] as const) {
      chmodSync(file, mode);
      const findings = await checkService({ ...config, ledgerUrl: 'sqlite::memory:' }, ledger, account, t.signal);
      assert.equal(findings.find(({ check }) => check === 'secrets')?.level, level, mode.toString(8));
    }
  });

  test('whose balance can be read in two ways is a failure that does not pass by itself, with both readings', async (t) => {
    const balance = { success: true, data: { balance: '1.500 TL' } };
    const service = await startFakeService(t, {
      ...{ apiKey: KEY, overrides: { balance: () => ({ status: 200, text: JSON.stringify(balance) }) } },
    });
    const { ledger } = await createTestConnector(t, { baseUrl: service.baseUrl });
    process.env.COURIER_TEST_API_KEY = KEY;
    const find = async (amounts: string) => {
      const config = readConfig(
        `{version: 1, accounts: {main: {base_url: "${service.baseUrl}", api_key: {env: COURIER_TEST_API_KEY}${amounts}}}, watches: {}}`,
        '/courier.yaml',
      );
      const account = config.accounts.get(id) ?? assert.fail();
      const findings = await checkService({ ...config, ledgerUrl: 'sqlite::memory:' }, ledger, account, t.signal);
      return findings.find(({ check }) => check === 'balance');
    };
    const unread = await find('');
    assert.deepEqual([unread?.level, unread?.transient], ['fail', false]);
    assert.match(unread?.message ?? '', /"1\.500 TL" can be read as 1\.50 TRY \(decimal_point\) or 1500\.00 TRY/);
    assert.match(unread?.next ?? '', /courier doctor --learn/);
    assert.equal((await find(', amounts: decimal_comma'))?.message, '1500.00 TRY');
  });
});
