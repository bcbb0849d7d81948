import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startService } from '../../service/serve.ts';
import { loadConfig } from '../../src/config/load.ts';
import { reconcileSchedules } from '../../src/connector/schedules.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import type { WatchId } from '../../src/submission/ids.ts';
import { connectClient } from '../../src/temporal/connect.ts';
import { startDevServer } from '../../src/temporal/dev-server.ts';
import { ensureSearchAttributes } from '../../src/temporal/ensure-search-attributes.ts';
import { findTemporalBinary } from '../../src/temporal/server-binary.ts';
import { watchScheduleId } from '../../src/temporal-api/ids.ts';
import { courier, ofType, publish } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { AMPLE } from '../support/service.ts';
import { openShopFolder } from '../support/shop-folder.ts';

/** temporal.api.enums.v1.IndexedValueType */
const KEYWORD = 2;

describe('a Temporal namespace without our search attributes', () => {
  test('runs, holds and schedules work, because nothing can register the attributes', async (t) => {
    const server = await startDevServer({ binary: await findTemporalBinary(() => undefined), headless: true });
    t.after(() => server.stop());
    const { client, connection, namespace } = await connectClient({
      address: server.address,
      namespace: 'default',
      local: true,
    });
    t.after(() => connection.close());
    // A namespace of this server has room for ten keywords.
    const taken = Array.from({ length: 10 }, (_, n) => [`Taken${n}`, KEYWORD] as const);
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(taken) });
    assert.match((await ensureSearchAttributes(connection, namespace)) ?? '', /Nothing else depends on them/);

    const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
    t.after(() => service.close());
    const folder = await openShopFolder(t, service, server.address, {
      watch: 'guard: { max_new_percent: 50 }, schedule: { cron: "30 4 1 1 *" }',
    });

    publish(folder, ['1', '2', '3']);
    const run = await courier(folder, 'run', '--once');
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(
      ofType(run, 'run').map(({ result }) => (result as { submitted: number }).submitted),
      [3],
    );

    publish(folder, ['1', '2', '3', '4', '5', '6']);
    const held = await courier(folder, 'run', '--once');
    assert.equal(held.code, 8, held.stderr);
    const again = await courier(folder, 'run', '--once');
    assert.equal(again.code, 8, 'the held run is found again');
    assert.match(again.stderr, /An earlier run of shop has not ended/);

    const config = loadConfig(join(folder, 'courier.yaml'));
    const ledger = await openLedger(config.ledgerUrl);
    t.after(() => ledger.close());
    const id = watchScheduleId(ledger.id, 'shop' as WatchId);
    for (const change of ['created', 'updated'] as const)
      assert.deepEqual(await reconcileSchedules(client, config, ledger.id), [{ id, change }]);
    await reconcileSchedules(client, { ...config, watches: new Map() }, ledger.id);
    assert.equal((await client.schedule.getHandle(id).describe()).state.note, 'no longer in the configuration');
  });
});
