import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { createLogger } from '../observability/log.ts';
import type { Connector } from './connector.ts';
import { startWorkerHousekeeping } from './worker-housekeeping.ts';

const WATCHES = 300;
const write = (cron: string) => `version: 1
accounts: { main: { base_url: "https://x.example/api/v1", api_key: { file: key } } }
defaults: { schedule: { cron: "${cron}" } }
watches:
${Array.from({ length: WATCHES }, (_, at) => `  w${at}: { account: main, sitemaps: ["https://x.example/${at}.xml"] }`).join('\n')}
ledger: { url: "sqlite::memory:" }
`;

describe('the reload of a worker', () => {
  test('is in force while the server takes its time for 300 schedules, 8 of them at a time', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-reload-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'courier.yaml');
    writeFileSync(join(folder, 'key'), 'a-key');
    writeFileSync(path, write('30 4 * * *'));
    const ledger = await openLedger('sqlite::memory:');
    t.after(() => ledger.close());
    const updates = { open: 0, most: 0, ended: 0 };
    const released = Promise.withResolvers<void>();
    const update = async () => {
      updates.open += 1;
      updates.most = Math.max(updates.most, updates.open);
      await released.promise;
      updates.open -= 1;
      updates.ended += 1;
    };
    let current: Config = loadConfig(path);
    const deps = {
      get config() {
        return current;
      },
      client: { options: { namespace: 'default' }, schedule: { getHandle: () => ({ update }) } },
      ledger,
      stopping: new AbortController().signal,
    };
    const replaceConfig = (next: Config) => {
      current = next;
    };
    const connector = { deps, replaceConfig, setTrouble: () => undefined } as unknown as Connector;
    const log = createLogger('silent', 'test');
    const housekeeping = startWorkerHousekeeping({ connector, path, config: current, log });
    t.after(() => housekeeping.close());

    writeFileSync(path, write('45 5 * * *'));
    const until = async (holds: () => boolean) => {
      for (const end = Date.now() + 20_000; !holds(); await sleep(20)) assert.ok(Date.now() < end);
    };
    await until(() => updates.open > 0);
    assert.equal([...current.watches.values()].at(-1)?.schedule?.cron, '45 5 * * *', 'in force before any schedule');
    assert.equal(updates.most, 8);
    writeFileSync(path, write('50 6 * * *'));
    await until(() => [...current.watches.values()].at(-1)?.schedule?.cron === '50 6 * * *');
    assert.equal(updates.ended, 0, 'the next change does not wait for the schedules either');
    released.resolve();
    await until(() => updates.ended === 2 * WATCHES);
    assert.equal(updates.most, 8);
  });
});
