import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../src/database/open.ts';
import { auditBalances } from '../test/support/audit-balances.ts';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../test/support/database.ts';
import { lira, TestClient, urlList } from '../test/support/service.ts';
import { ampleConfig, serveProcess } from '../test/support/service-processes.ts';
import { openAdministration } from './serve.ts';

/** How often the service is killed: 100 times with `npm run soak:kills`. */
const ROUNDS = Number(process.env.COURIER_TEST_SERVICE_KILLS ?? 2);
const URLS = 5;
const WORKERS = 8;

describe('a service that is killed', () => {
  for (const dialect of TEST_DIALECTS) {
    test(`kill -9 under load loses nothing that was acknowledged and charges every key once (${dialect}, ${ROUNDS} times)`, {
      timeout: 1_800_000,
    }, async (t) => {
      const url = emptyDatabaseUrl(t, dialect);
      const config = ampleConfig(t);
      const { accounts, close } = await openAdministration(url);
      const { id } = await accounts.createAccount({ name: 'kill', balance: lira('1000000'), price: lira('0.25') });
      const { apiKey } = await accounts.createKey({ account: id });
      await close();
      /** Every key that was ever sent, with the reference it was answered, if it was. */
      const sent = new Map<string, string | null>();
      const body = { urls: urlList(URLS) };

      for (let round = 0; round < ROUNDS; round++) {
        const { child, baseUrl } = await serveProcess(url, config);
        const client = new TestClient(baseUrl, apiKey);
        let alive = true;
        const workers = Array.from({ length: WORKERS }, async (_, worker) => {
          for (let index = 0; alive; index++) {
            const key = `kill-${round}-${worker}-${index}`;
            sent.set(key, null);
            const answer = await client.post('/submissions', key, body).catch(() => null);
            if (answer === null) return;
            assert.equal(answer.status, 202);
            sent.set(key, answer.body.data.reference);
          }
        });
        await sleep(100 + Math.random() * 200);
        child.kill('SIGKILL');
        alive = false;
        await Promise.all([once(child, 'exit'), ...workers]);
      }

      const { child, baseUrl } = await serveProcess(url, config);
      const client = new TestClient(baseUrl, apiKey);
      let index = 0;
      for (const [key, reference] of sent) {
        const { status, body: answer } = await client.post('/submissions', key, body);
        assert.ok(reference === null ? status === 200 || status === 202 : status === 200, `${key}: ${status}`);
        if (reference !== null) assert.equal(answer.data.reference, reference);
        if (index++ % 10 === 0) assert.equal((await client.detail(answer.data.reference)).urls.length, URLS);
      }
      assert.equal(await client.balance(), 1_000_000 - sent.size * URLS * 0.25);
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number];
      assert.equal(code, 0, 'a graceful stop ends with 0');
      const db = openDatabase(url);
      assert.deepEqual(await auditBalances(db), []);
      await db.close();
      t.diagnostic(
        `${ROUNDS} kills, ${sent.size} keys, ${[...sent.values()].filter((reference) => reference === null).length} not acknowledged`,
      );
    });
  }
});
