/** More runs than slots for crawls: the server hands out those of the watch with the lowest number first. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { loadConfig } from '../../src/config/load.ts';
import { startRun } from '../../src/connector/run-client.ts';
import { sql } from '../../src/database/sql.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { temporalAddress } from '../support/temporal.ts';
import { work } from '../support/work-by-duty.ts';

const LATE = ['a', 'b', 'c', 'd'];
const UNTIL_MS = 60_000;

/** Nothing listens at the site's address: each run ends without a URL. */
const toYaml = () => `version: 1
accounts: { main: { base_url: "http://127.0.0.1:9/api/v1", api_key: { file: key } } }
watches:
${LATE.map((name) => `  ${name}: { account: main, priority: 5, allow_private_hosts: [127.0.0.1], sitemaps: ["http://127.0.0.1:9/${name}.xml"] }`).join('\n')}
  news: { account: main, priority: 1, allow_private_hosts: [127.0.0.1], sitemaps: ["http://127.0.0.1:9/news.xml"] }
worker: { slots: { crawl: 1 } }
ledger: { url: "sqlite:ledger.db" }
`;

describe('the priority of a watch', () => {
  test('lets its run begin before those that wait longer', async (t) => {
    const address = await temporalAddress(t);
    const folder = mkdtempSync(join(tmpdir(), 'courier-priority-'));
    const path = join(folder, 'courier.yaml');
    writeFileSync(path, toYaml());
    writeFileSync(join(folder, 'key'), 'a-key');
    const config = loadConfig(path);
    const ledger = await openLedger(config.ledgerUrl);
    const connection = await Connection.connect({ address });
    const client = new Client({ connection });
    t.after(async () => {
      await connection.close();
      await ledger.close();
      rmSync(folder, { recursive: true, maxRetries: 5 });
    });

    await work(t, config, address, ['workflows']);
    const watches = [...config.watches.values()];
    assert.equal(watches.at(-1)!.id, 'news');
    for (const watch of watches) {
      const run = await startRun(client, ledger.id, watch, 'accepted', 'once');
      await until(async () => ((await run.describe()).raw.pendingActivities?.length ?? 0) > 0);
    }
    await work(t, config, address, ['crawl']);
    const readBegun = () =>
      ledger.db.all(sql<{ name: string }>`
        SELECT w.name FROM runs AS r JOIN watches AS w ON w.id = r.watch_id ORDER BY r.id`);
    await until(async () => (await readBegun()).length === watches.length);
    const begun = (await readBegun()).map(({ name }) => name);
    // The server reads the queues of two priorities side by side: one run may be handed out before it sees the other.
    assert.ok(begun.indexOf('news') <= 1, begun.join(', '));
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + UNTIL_MS; !(await holds()); await sleep(100)) assert.ok(Date.now() < end, 'in time');
}
