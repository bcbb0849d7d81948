/** A watch that leaves the configuration while a guard holds a run of it. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { courier, ofType, printCourier, publish } from '../support/cli.ts';
import { openService } from '../support/service.ts';
import { openShopFolder } from '../support/shop-folder.ts';
import { temporalAddress } from '../support/temporal.ts';

describe('a removed watch with a held run', () => {
  test('stays in status until its run is rejected, and cannot be approved', async (t) => {
    const { service, client } = await openService(t, 'sqlite');
    const folder = await openShopFolder(t, service, await temporalAddress(t), { watch: 'guard: { max_new: 1 }' });
    publish(folder, ['1', '2', '3']);
    const held = await courier(folder, 'run', '--once');
    assert.equal(held.code, 8, held.stderr);
    const file = join(folder, 'courier.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('  shop: ', '  store: '));

    const status = await courier(folder, 'status');
    const [removed] = ofType(status, 'watch').filter(({ watch }) => watch === 'shop');
    const [run] = ((removed?.held ?? []) as { readonly run: string }[]).map(({ run: name }) => name);
    assert.deepEqual([removed?.configured, removed?.next_run_at], [false, null]);
    assert.deepEqual(status.records.at(-1)?.held, [run]);
    const printed = await printCourier(folder, 'status');
    assert.match(printed, /store: no run yet; next run /);
    assert.match(printed, /shop: waits for you since .*; not in the configuration any more\n/);
    assert.match(printed, new RegExp(`End it: courier reject ${run} .*put its watch back`));
    const check = await courier(folder, 'status', '--check');
    assert.equal(check.code, 8);
    assert.match(
      String(ofType(check, 'problem').find(({ subject }) => subject === 'shop')?.problem),
      /End it: courier/,
    );

    const approved = await courier(folder, 'approve', String(run), '--once');
    assert.equal(approved.code, 2);
    assert.match(approved.stderr, /not in the configuration any more.*Nothing was decided.*courier reject/s);
    const rejected = await courier(folder, 'reject', String(run), '--once');
    assert.equal(rejected.code, 0, rejected.stderr);
    assert.deepEqual(
      ofType(await courier(folder, 'status'), 'watch').map(({ watch }) => watch),
      ['store'],
    );
    assert.equal(await client.balance(), 1000, 'nothing was bought');
  });
});
