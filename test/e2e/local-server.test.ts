import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../service/serve.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { getAccountTotals, listRuns } from '../../src/ledger/reports/totals.ts';
import type { AccountId, WatchId } from '../../src/submission/ids.ts';
import { localAddress } from '../../src/temporal/local-server.ts';
import { courier, ended, publish, startCourier } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { AMPLE } from '../support/service.ts';
import { lira, openShopFolder } from '../support/shop-folder.ts';

async function openShop(t: TestContext): Promise<string> {
  const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
  t.after(() => service.close());
  const folder = await openShopFolder(t, service);
  publish(folder, ['1', '2', '3', '4']);
  return folder;
}

async function until(what: string, condition: () => boolean): Promise<void> {
  for (const latest = Date.now() + 120_000; Date.now() < latest; await sleep(100)) if (condition()) return;
  assert.fail(`not within two minutes: ${what}`);
}

describe('the local Temporal server', () => {
  test('the second of two overlapping run --once exits with 9 at once and changes nothing', async (t) => {
    const folder = await openShop(t);
    const first = startCourier(folder, 'run', '--once');
    const firstEnded = ended(first);
    // Its local server is being started: the lock is taken before that.
    await until('the first has begun', () => existsSync(join(folder, '.courier')));
    const second = await courier(folder, 'run', '--once');
    assert.equal(second.code, 9, second.stderr);
    assert.match(second.stderr, /Another "courier run --once" runs watch shop now .* submitted and charged nothing/);
    assert.equal(first.exitCode, null, 'the first continues');
    const done = await firstEnded;
    assert.equal(done.code, 0, done.stderr);
    assert.equal(localAddress(join(folder, '.courier')), null, 'the local server ended with its last user');
    const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    t.after(() => ledger.close());
    assert.equal((await listRuns(ledger, 'shop' as WatchId)).length, 1);
    assert.equal((await getAccountTotals(ledger, 'main' as AccountId)).chargedEver, lira('1'));
  });

  test('a worker that shares the server of a run --once continues when the run ends', async (t) => {
    const folder = await openShop(t);
    const run = ended(startCourier(folder, 'run', '--once'));
    await until('the run has a server', () => localAddress(join(folder, '.courier')) !== null);
    const worker = startCourier(folder, 'worker');
    const working = ended(worker);
    const [line] = (await once(worker.stdout ?? assert.fail(), 'data')) as [Buffer];
    assert.match(line.toString(), /"version"|"ready"/);
    assert.equal((await run).code, 0);
    const address = localAddress(join(folder, '.courier'));
    assert.notEqual(address, null, 'the server stays for the worker');
    publish(folder, ['1', '2', '3', '4', '5']);
    const byWorker = await courier(folder, 'run');
    assert.equal(byWorker.code, 0, byWorker.stderr);
    assert.equal(localAddress(join(folder, '.courier')), address);
    worker.kill('SIGTERM');
    assert.equal((await working).code, 143);
    assert.equal(localAddress(join(folder, '.courier')), null);
  });
});
