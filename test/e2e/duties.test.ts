/** One ledger, whose work several processes share by duty. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startService } from '../../service/serve.ts';
import { loadConfig } from '../../src/config/load.ts';
import { courier, ofType, publish } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { AMPLE } from '../support/service.ts';
import { openShopFolder } from '../support/shop-folder.ts';
import { temporalAddress } from '../support/temporal.ts';
import { work } from '../support/work-by-duty.ts';

/** Polls after a second instead of after minutes. */
function pollEarly(file: string): void {
  const soon = '{ first: 1s, min: 1s, max: 2s }';
  const config = readFileSync(file, 'utf8');
  writeFileSync(file, config.replace('file: key } }', `file: key }, tracking: { fast: ${soon}, standard: ${soon} } }`));
}

describe('workers by duty', () => {
  test('a run needs a worker for each of its duties, and several share it', async (t) => {
    const address = await temporalAddress(t);
    const service = await startService({
      database: emptyDatabaseUrl(t, 'sqlite'),
      settings: { budgets: AMPLE },
      temporal: { address, namespace: 'default', taskQueue: `service-${randomUUID()}` },
      simulated: { fastMs: 500, standardMs: 500 },
    });
    t.after(() => service.close());
    const folder = await openShopFolder(t, service, address);
    pollEarly(join(folder, 'courier.yaml'));
    publish(folder, ['1', '2', '3']);

    const config = loadConfig(join(folder, 'courier.yaml'));
    await work(t, config, address, ['workflows', 'submit', 'check']);
    const early = await courier(folder, 'run');
    assert.equal(early.code, 5);
    assert.match(early.stderr, /No worker of this ledger does crawl, track\. .*courier worker --duty crawl track/);

    await work(t, config, address, ['crawl']);
    await work(t, config, address, ['track']);
    const run = await courier(folder, 'run', '--wait');
    assert.equal(run.code, 0, run.stderr);
    const [record] = ofType(run, 'run');
    assert.equal((record as unknown as { result: { completed: number } }).result.completed, 3);
  });
});
