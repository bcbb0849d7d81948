/** A worker whose ledger file is taken away: it must not buy into a file that nobody finds again. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { toCommandError } from '../../src/cli/output/command.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openConnector } from '../../src/connector/connector.ts';
import { startWorkerHousekeeping } from '../../src/connector/worker-housekeeping.ts';
import { createLogger } from '../../src/observability/log.ts';
import { startFakeService } from '../fakes/service/fake-service.ts';
import { folderFor, publish } from '../support/cli.ts';
import { temporalAddress } from '../support/temporal.ts';

const KEY = 'key-of-the-vanished-ledger-test';

describe('a worker whose ledger file was removed', () => {
  test('is not ready, buys nothing more, and ends with 3 and the way back', async (t) => {
    const address = await temporalAddress(t);
    const service = await startFakeService(t, { apiKey: KEY });
    const folder = folderFor(
      t,
      () => `version: 1
accounts:
  main: { base_url: "${service.baseUrl}", api_key: { env: COURIER_TEST_API_KEY } }
watches:
  shop: { account: main, sitemaps: [sitemap.xml], hosts: [shop.example], first_run: submit }
ledger: { url: "sqlite:ledger.db" }
admin: { port: 0 }
`,
    );
    publish(folder, [1]);
    process.env.COURIER_TEST_API_KEY = KEY;
    const path = join(folder, 'courier.yaml');
    const config = loadConfig(path);
    const log = createLogger('silent', 'test');
    const connector = await openConnector(config, { address, namespace: 'default' }, log, { serveAdmin: true });
    const working = connector.run();
    connector.keep(startWorkerHousekeeping({ connector, path, config, log }));
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `ledger.db${end}`), { force: true });
    const ready = await fetch(`${connector.adminUrl}/readyz`);
    assert.deepEqual(
      [ready.status, ((await ready.json()) as { reasons: string[] }).reasons.at(-1)],
      [503, 'the ledger cannot be written'],
    );
    await assert.rejects(working, (error: Error) => {
      const shown = toCommandError(error);
      assert.equal(shown?.exitCode, 3);
      assert.match(shown.message, /ledger\.db was removed while this process used it.*"courier recover"/);
      return true;
    });
    assert.equal(service.charges.size, 0);
  });
});
