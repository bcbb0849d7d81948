import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { type Service, startService } from '../../service/serve.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { listRuns } from '../../src/ledger/reports/totals.ts';
import { getWatchFigures } from '../../src/ledger/reports/watch-figures.ts';
import type { WatchId } from '../../src/submission/ids.ts';
import { type CommandRun, courier, ended, ofType, publish, startCourier } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { AMPLE } from '../support/service.ts';
import { openShopFolder } from '../support/shop-folder.ts';
import { sitemapindex } from '../support/sitemap/collect.ts';
import { temporalAddress } from '../support/temporal.ts';

const SHOP = 'shop' as WatchId;

async function openService(t: TestContext): Promise<Service> {
  const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
  t.after(() => service.close());
  return service;
}

const hasUsedTemporal = (folder: string): boolean => existsSync(join(folder, '.courier'));

async function getRuns(folder: string) {
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
  try {
    return (await listRuns(ledger, SHOP)).map(({ run, endState }) => ({ run, endState }));
  } finally {
    await ledger.close();
  }
}

/** A shop whose sitemap names one that never answers. */
async function openHangingShop(t: TestContext) {
  const watch = 'allow_private_hosts: [127.0.0.1]';
  const path = await openShopFolder(t, await openService(t), '', { firstRun: 'baseline', watch });
  const site = createServer(() => undefined).listen(0, '127.0.0.1');
  t.after(() => {
    site.closeAllConnections();
    site.close();
  });
  await once(site, 'listening');
  const { port } = site.address() as AddressInfo;
  writeFileSync(join(path, 'sitemap.xml'), sitemapindex(`http://127.0.0.1:${port}/s.xml`));
  return { path, site };
}

/** A run's records without what differs from folder to folder. */
const comparable = ({ code, records }: CommandRun, folder: string) => ({
  code,
  records: records.map(({ run: _, ...rest }) => JSON.parse(JSON.stringify(rest).replaceAll(folder, ''))),
});

describe('run --once without Temporal', () => {
  test('a run that finds nothing new starts no server, and reports what a run through Temporal reports', async (t) => {
    const service = await openService(t);
    const alone = await openShopFolder(t, service, '', { firstRun: 'baseline' });
    const through = await openShopFolder(t, service, await temporalAddress(t), { firstRun: 'baseline' });
    for (const pages of [['1', '2'], ['1']]) {
      publish(alone, pages);
      publish(through, pages);
      const local = await courier(alone, 'run', '--once');
      const byTemporal = await courier(through, 'run', '--once');
      assert.deepEqual(comparable(local, alone), comparable(byTemporal, through), `with ${pages}`);
    }
    assert.equal(hasUsedTemporal(alone), false);
    const runs = await getRuns(alone);
    assert.deepEqual(
      runs.map(({ endState }) => endState),
      ['finished', 'finished'],
    );
    const status = await courier(alone, 'status');
    const last = ofType(status, 'watch')[0]?.last_run as Record<string, unknown>;
    assert.deepEqual([last.run, last.end], [runs[0]?.run, 'finished'], 'status shows the run');
    const ledger = await openLedger(`sqlite:${join(alone, 'ledger.db')}`);
    t.after(() => ledger.close());
    const { lastRun, lastSuccessAt, failedRuns } = await getWatchFigures(ledger, SHOP);
    assert.equal(lastRun?.run, runs[0]?.run);
    assert.deepEqual([typeof lastSuccessAt, failedRuns], ['number', 0], 'monitoring sees the runs');
  });

  test('what is new is sent by Temporal under the run that was begun, once', async (t) => {
    const service = await openService(t);
    const folder = await openShopFolder(t, service);
    publish(folder, ['1', '2', '3']);
    const first = await courier(folder, 'run', '--once');
    assert.equal(first.code, 0, first.stderr);
    const [record] = ofType(first, 'run');
    assert.equal((record?.result as { submitted: number } | undefined)?.submitted, 3);
    assert.deepEqual(await getRuns(folder), [{ run: record?.run, endState: 'finished' }], 'one run, and no other');
    rmSync(join(folder, '.courier'), { recursive: true });
    const open = await courier(folder, 'run', '--once');
    assert.equal(open.code, 0, open.stderr);
    assert.equal(hasUsedTemporal(folder), true, 'its job has not ended, so it is polled');
  });

  test('a hand-over that fails leaves no run open', async (t) => {
    const folder = await openShopFolder(t, await openService(t));
    publish(folder, ['1']);
    // The local server of the folder cannot be started.
    mkdirSync(join(folder, '.courier', 'temporal.lock'), { recursive: true });
    const failed = await courier(folder, 'run', '--once');
    assert.notEqual(failed.code, 0);
    assert.deepEqual(
      (await getRuns(folder)).map(({ endState }) => endState),
      ['abandoned'],
    );
    const planned = await courier(folder, 'plan');
    assert.equal(ofType(planned, 'plan')[0]?.urls, 1, planned.stderr);
  });

  test('a key that the service rejects ends it with 6, also when nothing is new', async (t) => {
    const folder = await openShopFolder(t, await openService(t), '', { firstRun: 'baseline' });
    publish(folder, ['1']);
    assert.equal((await courier(folder, 'run', '--once')).code, 0);
    writeFileSync(join(folder, 'key'), 'not-a-key-of-this-service');
    const refused = await courier(folder, 'run', '--once');
    assert.equal(refused.code, 6, refused.stderr);
    assert.match(refused.stderr, /rejects the API key of account main: .*Nothing had to be submitted/);
    assert.deepEqual(refused.records.at(-1)?.rejected_keys, ['main']);
    assert.equal(ofType(refused, 'run').length, 1, 'the run itself is whole');
    assert.equal(hasUsedTemporal(folder), false);
  });

  test('a run that was killed does not block the next one', async (t) => {
    const folder = await openHangingShop(t);
    const command = startCourier(folder.path, 'run', '--once');
    const over = ended(command);
    await once(folder.site, 'request');
    command.kill('SIGKILL');
    await over;
    assert.deepEqual(
      (await getRuns(folder.path)).map(({ endState }) => endState),
      [null],
    );
    publish(folder.path, ['1', '2']);
    const next = await courier(folder.path, 'run', '--once');
    assert.equal(next.code, 0, next.stderr);
    assert.equal(ofType(next, 'run')[0]?.found, 2);
    assert.deepEqual(
      (await getRuns(folder.path)).map(({ endState }) => endState),
      ['finished', 'abandoned'],
    );
  });

  test('SIGTERM ends it with 143 and leaves no run open', async (t) => {
    const folder = await openHangingShop(t);
    const command = startCourier(folder.path, 'run', '--once');
    const over = ended(command);
    await once(folder.site, 'request');
    command.kill('SIGTERM');
    const { code, stderr } = await over;
    assert.equal(code, 143, stderr);
    assert.deepEqual(
      (await getRuns(folder.path)).map(({ endState }) => endState),
      ['abandoned'],
    );
  });
});
