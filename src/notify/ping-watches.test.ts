import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { stringify } from 'yaml';
import { ACCOUNT, completeRun, HOUR, testLedger } from '../../test/support/ledger.ts';
import { readConfig } from '../config/load.ts';
import { pingWatches } from './ping-watches.ts';

const config = readConfig(
  stringify({
    version: 1,
    accounts: { main: { base_url: ACCOUNT.baseUrl, api_key: { env: 'UNUSED' } } },
    watches: {
      shop: { account: 'main', sitemaps: ['https://shop.example/a.xml'], ping: 'https://monitor.example/shop' },
      blog: { account: 'main', sitemaps: ['https://blog.example/a.xml'] },
    },
  }),
  '/courier.yaml',
);

describe('pings of watches', () => {
  testLedger('a complete run is one ping, an incomplete one is none', async (ledger) => {
    const pinged: unknown[] = [];
    const check = () => pingWatches(ledger, config, async (address) => void pinged.push(address));
    await completeRun(ledger, 'first', { a: ['1'] });
    await check();
    await check();
    assert.deepEqual(pinged, ['https://monitor.example/shop']);
    ledger.pass(HOUR);
    await completeRun(ledger, 'bad', { a: 'broken' }, { complete: false });
    await check();
    assert.equal(pinged.length, 1);
    ledger.pass(HOUR);
    await completeRun(ledger, 'good', { a: ['1'] });
    await check();
    assert.equal(pinged.length, 2);
  });

  testLedger('a ping that fails is sent again', async (ledger) => {
    await completeRun(ledger, 'first', { a: ['1'] });
    const failing = pingWatches(ledger, config, async () => {
      throw new Error('no route');
    });
    await assert.rejects(failing, /no route/);
    const pinged: unknown[] = [];
    await pingWatches(ledger, config, async (address) => void pinged.push(address));
    assert.equal(pinged.length, 1);
  });

  testLedger('a run of long ago is not pinged when the ping is configured', async (ledger) => {
    await completeRun(ledger, 'first', { a: ['1'] });
    ledger.pass(HOUR);
    const pinged: unknown[] = [];
    await pingWatches(ledger, config, async (address) => void pinged.push(address));
    assert.deepEqual(pinged, []);
  });
});
