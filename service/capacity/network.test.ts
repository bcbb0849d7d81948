import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toNetwork } from './network.ts';

describe('network of an address', () => {
  for (const [address, network] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ] as const) {
    test(`${address} is in ${network}`, () => assert.equal(toNetwork(address), network));
  }
});
