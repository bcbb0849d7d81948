import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Kernel } from './kernel.ts';
import { type NetRequest, VirtualNetwork } from './network.ts';

const REQUEST: NetRequest = {
  origin: 'https://www.shop.example',
  method: 'GET',
  path: '/sitemap.xml',
  headers: {},
  body: Buffer.alloc(0),
};

/** What was read of one response that takes a minute, where the client waits for so many seconds. */
async function read(seconds: number): Promise<readonly string[]> {
  const kernel = new Kernel(1, 0);
  const got: string[] = [];
  const network = new VirtualNetwork({
    kernel,
    latency: () => 1,
    getFault: () => ({ kind: 'stall', ms: 60_000 }),
    onRead: () => got.push('read'),
  });
  const body = Buffer.alloc(0);
  network.listen(REQUEST.origin, { host: null, answer: async () => ({ status: 200, headers: {}, body }) });
  network.send(
    REQUEST,
    () => got.push('then'),
    () => kernel.elapsed > seconds * 1_000,
  );
  await kernel.play(() => false, 120_000);
  return got;
}

describe('a response that comes late', () => {
  test('is read by a client that still waits', async () => {
    assert.deepEqual(await read(90), ['read', 'then']);
  });

  test('is read by nobody once its client has given it up', async () => {
    assert.deepEqual(await read(20), []);
  });
});
