import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from '../src/database/sql.ts';
import { TEST_DIALECTS } from '../test/support/database.ts';
import { openService, TestClient, urlList } from '../test/support/service.ts';
import { ampleConfig, serveProcess } from '../test/support/service-processes.ts';

/** How often each race is run: more with `npm run soak:races`. */
const ROUNDS = Number(process.env.COURIER_TEST_SERVICE_RACES ?? 3);
const PARALLEL = 50;

describe('concurrent requests', () => {
  for (const dialect of TEST_DIALECTS) {
    const processes = dialect === 'postgres' ? 3 : 1;

    test(`spec 4.6 rule 2: of ${PARALLEL} parallel requests with one key exactly one is 202, the rest are 200, with one charge (${dialect}, ${processes} processes, ${ROUNDS} rounds)`, {
      timeout: 600_000,
    }, async (t) => {
      const first = await openService(t, dialect, { balance: '1000' });
      const clients = [first.client];
      const config = ampleConfig(t);
      while (clients.length < processes) {
        const { child, baseUrl } = await serveProcess(first.url, config);
        t.after(() => child.kill());
        clients.push(new TestClient(baseUrl, first.client.key));
      }
      for (let round = 0; round < ROUNDS; round++) {
        const body = { urls: urlList(3) };
        const answers = await Promise.all(
          Array.from({ length: PARALLEL }, (_, index) =>
            clients[index % processes]!.post('/submissions', `race-key-${round}`, body),
          ),
        );
        const statuses = answers.map(({ status }) => status).sort();
        assert.deepEqual(statuses, [...Array<number>(PARALLEL - 1).fill(200), 202]);
        assert.equal(new Set(answers.map(({ body: { data } }) => data.reference)).size, 1);
      }
      assert.equal(await first.client.balance(), 1000 - ROUNDS * 0.75);
      const charges = await first.db.get(
        sql<{ count: number }>`SELECT count(*) AS count FROM entries WHERE kind = 'charge'`,
      );
      assert.equal(charges?.count, ROUNDS);
    });

    test(`spec 4.6 rule 4: 20 parallel submissions on a balance for 7: exactly 7 are accepted, the balance is 0 (${dialect})`, async (t) => {
      const { client } = await openService(t, dialect, { balance: '1.75' });
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          client.post('/submissions', `poor-key-${index}`, { urls: urlList(1) }),
        ),
      );
      const count = (status: number) => answers.filter((answer) => answer.status === status).length;
      assert.deepEqual([count(202), count(402)], [7, 13]);
      assert.equal(await client.balance(), 0);
    });
  }
});
