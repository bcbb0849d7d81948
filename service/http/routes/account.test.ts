import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Balance, Me, Stats } from '../../../contract/responses.ts';
import { lira, serviceTest, urlList } from '../../../test/support/service.ts';

describe('account routes', () => {
  serviceTest('spec 4.1: GET / needs no key and returns version and availability', async ({ service }) => {
    for (const path of ['', '/']) {
      const response = await fetch(service.baseUrl + path);
      assert.equal(response.status, 200);
      const { data } = (await response.json()) as { data: Record<string, unknown> };
      assert.deepEqual(
        { version: data.version, available: data.available, contract: data.contract_version },
        { version: 'v1', available: true, contract: '1.0.0' },
      );
    }
  });

  serviceTest(
    'spec 4.2: GET /me returns every field of account, wallet and key, and no secret',
    async ({ client, account }) => {
      const { status, body } = await client.get<Me>('/me');
      assert.equal(status, 200);
      const { data } = body;
      assert.deepEqual(Object.keys(data), ['account', 'wallet', 'prices', 'api_key', 'default_service']);
      assert.equal(data.account.name, account);
      assert.deepEqual(data.wallet, { balance: 1000, balance_micros: 1_000_000_000, currency: 'TRY' });
      assert.deepEqual(data.prices, { standard: 0.25, fast: 0.25, index_check: 0.5, currency: 'TRY' });
      assert.deepEqual(Object.keys(data.api_key), ['id', 'name', 'prefix', 'created_at', 'expires_at']);
      assert.equal(data.api_key.expires_at, null);
      assert.ok(client.key.startsWith(data.api_key.prefix) && !JSON.stringify(body).includes(client.key));
    },
  );

  serviceTest('spec 4.3: GET /balance returns the exact balance and TRY', async ({ client, service, account }) => {
    await service.accounts.topUp(account, lira('0.000001'));
    const { body } = await client.get<Balance>('/balance');
    assert.deepEqual(body.data, { balance: 1000.000001, balance_micros: 1_000_000_001, currency: 'TRY' });
  });

  serviceTest('spec 4.4: GET /stats sums submissions, URLs, spending and checks', async ({ client }) => {
    await client.post('/submissions', 'stats-key-1', { urls: urlList(3), service: 'fast' });
    await client.post('/index-check', 'stats-key-2', { urls: ['https://a.example/1', 'https://a.example/~missing'] });
    const { body } = await client.get<Stats>('/stats');
    assert.deepEqual(body.data, {
      balance: 998.25,
      balance_micros: 998_250_000,
      currency: 'TRY',
      submissions: { total: 1, queued: 1, processing: 0, completed: 0, partial: 0, failed: 0 },
      urls: { total: 3, pending: 3, completed: 0, failed: 0 },
      spending: { submissions: 0.75, index_checks: 1, total: 1.75, currency: 'TRY' },
      index_checks: { total: 1, urls: 2, found: 1 },
    });
  });
});
