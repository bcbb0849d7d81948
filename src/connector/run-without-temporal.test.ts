import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../../test/support/database.ts';
import { openProxy } from '../../test/support/database-proxy.ts';
import { readConfig } from '../config/load.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import type { WatchId } from '../submission/ids.ts';
import { runWithoutTemporal } from './run-without-temporal.ts';
import { waitForDatabase } from './wait-at-start.ts';

describe('a run of cron', () => {
  test('goes on where it was when Postgres is back', {
    skip: !TEST_DIALECTS.includes('postgres') && 'COURIER_TEST_POSTGRES names no Postgres',
  }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-run-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const page = '<url><loc>https://shop.example/a</loc></url>';
    writeFileSync(
      join(folder, 'sitemap.xml'),
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${page}</urlset>`,
    );
    const url = new URL(emptyDatabaseUrl(t, 'postgres'));
    const proxy = await openProxy(new URL(url));
    t.after(() => proxy.cut());
    Object.assign(url, { hostname: '127.0.0.1', port: String(proxy.port) });
    const ledger = await openLedger(url.href);
    t.after(() => ledger.close());
    const config = readConfig(
      `version: 1
accounts: { main: { base_url: "https://service.example/api/v1", api_key: { env: UNUSED } } }
watches: { shop: { account: main, sitemaps: [sitemap.xml], hosts: [shop.example], first_run: baseline } }`,
      join(folder, 'courier.yaml'),
    );
    const said: string[] = [];
    const say = (text: string) => void said.push(text);
    let steps = 0;
    const result = await runWithoutTemporal({ config, ledger }, config.watches.get('shop' as WatchId)!, {
      name: 'once',
      maxCost: null,
      signal: AbortSignal.timeout(60_000),
      onProgress: () => undefined,
      // Postgres is away at the beginning of each step, for one pause.
      async wait(step) {
        steps += 1;
        await proxy.cut();
        return waitForDatabase(step, { log: { info: say, warn: say }, now: () => 0, sleep: () => proxy.restore() });
      },
    });
    assert.equal(result.kind, 'ended');
    assert.equal(said.filter((text) => text.startsWith('The ledger cannot be used yet')).length, steps);
    assert.ok(steps >= 5, `${steps} steps`);
  });
});
