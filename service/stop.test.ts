import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../src/database/sql.ts';
import { openSearchApi } from '../test/support/search-api.ts';
import { openService, urlList } from '../test/support/service.ts';
import { startService } from './serve.ts';

const STOP_MS = 1_500;

describe('stopping the service', () => {
  test('a stop takes stop_ms at most; the next start restores the charge of an index-check that it interrupted', async (t) => {
    const brave = await openSearchApi(t, async () => sleep(20_000, true));
    const bench = await openService(t, 'sqlite', {
      settings: { stopMs: STOP_MS, indexCheck: { provider: 'brave', brave } },
    });
    const { service, client, db, url } = bench;
    const { hostname, port } = new URL(client.baseUrl);
    const slow = connect(Number(port), hostname);
    slow.on('error', () => undefined);
    await once(slow, 'connect');
    slow.write('POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    const cut = client.post('/index-check', 'stopped-key', { urls: urlList(2) }).then(
      ({ status }) => status,
      () => 'no answer',
    );
    const getBalance = async () => (await db.one(sql<{ balance: number }>`SELECT balance FROM accounts`)).balance;
    while ((await getBalance()) === 1_000_000_000) await sleep(20);

    const began = performance.now();
    await service.close();
    const took = performance.now() - began;
    assert.ok(took < STOP_MS + 2_000, `${Math.round(took)} ms`);
    assert.equal(await cut, 'no answer', 'it is not said that nothing was charged');
    assert.equal(await getBalance(), 999_000_000, 'the charge stands');

    const next = await startService({ database: url, now: () => Date.now() + 120_000 });
    t.after(() => next.close());
    while ((await getBalance()) !== 1_000_000_000) await sleep(20);
  });
});
