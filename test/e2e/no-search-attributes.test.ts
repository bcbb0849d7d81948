import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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
import { createAuthority } from '../support/certificates.ts';
import { courier, ofType, publish, startCourier } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { secureTemporal } from '../support/secured-temporal.ts';
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
    assert.deepEqual(await reconcileSchedules(client, config, ledger.id), [{ id, change: 'created' }]);
    assert.deepEqual(await reconcileSchedules(client, config, ledger.id), [], 'it is as configured but for attributes');
    await reconcileSchedules(client, { ...config, watches: new Map() }, ledger.id);
    assert.equal((await client.schedule.getHandle(id).describe()).state.note, 'no longer in the configuration');
  });

  test('the same without operator rights, and doctor says what an administrator can add', async (t) => {
    const server = await startDevServer({ binary: await findTemporalBinary(() => undefined), headless: true });
    t.after(() => server.stop());
    const authority = createAuthority('courier test authority');
    const denied = new Set<string>();
    const secured = await secureTemporal(t, {
      target: server.address,
      certificate: authority.issue({ name: 'server', hosts: ['127.0.0.1'] }),
      // What a key of Temporal Cloud may not do: anything outside of its namespace.
      deny(method) {
        if (
          !/OperatorService|GetClusterInfo|ListNamespaces|RegisterNamespace|UpdateNamespace|GetSearchAttr/.test(method)
        )
          return null;
        denied.add(method.split('/').at(-1) ?? '');
        return { code: 7, message: 'Request unauthorized.' };
      },
    });
    const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
    t.after(() => service.close());
    const folder = await openShopFolder(t, service, secured.address, {
      watch: 'schedule: { cron: "30 4 1 1 *" }',
    });
    const file = join(folder, 'courier.yaml');
    const withTls = readFileSync(file, 'utf8').replace(
      'namespace: default }',
      'namespace: default, tls: { ca: ca.pem } }',
    );
    writeFileSync(file, withTls);
    writeFileSync(join(folder, 'ca.pem'), authority.cert);

    const worker = startCourier(folder, 'worker');
    let said = '';
    worker.stderr?.on('data', (chunk) => {
      said += chunk;
    });
    const ended = once(worker, 'exit');
    t.after(async () => {
      worker.kill('SIGTERM');
      await ended;
    });
    assert.ok(worker.stdout !== null);
    for await (const line of createInterface(worker.stdout)) if (line.includes('"ready"')) break;
    publish(folder, ['1', '2', '3']);
    const run = await courier(folder, 'run');
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(
      ofType(run, 'run').map(({ result }) => (result as { submitted: number }).submitted),
      [3],
    );
    assert.ok(denied.has('ListSearchAttributes'), 'the worker has asked');
    assert.match(said, /lacks search attributes of the Web UI.*Request unauthorized.*let an administrator run/);

    const doctor = await courier(folder, 'doctor', '--no-sitemaps');
    const findings = ofType(doctor, 'finding');
    const [missing] = findings.filter(({ check, level }) => check === 'temporal' && level === 'warn');
    assert.match(String(missing?.message), /lacks the search attributes CourierLedger, .*CourierSummary/);
    assert.match(
      String(missing?.next),
      /temporal operator search-attribute create --namespace default --name CourierLedger/,
    );
    assert.deepEqual(
      findings.filter(({ level }) => level === 'fail'),
      [],
    );
    assert.equal(ofType(await courier(folder, 'status'), 'watch').length, 1);
  });
});
