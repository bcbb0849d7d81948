import assert from 'node:assert/strict';
import type { LookupFunction } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { serve } from '../../../test/support/sitemap/server.ts';
import { SitemapError } from '../problems.ts';
import { type AddressGuard, createPrivateHostError } from './address-guard.ts';
import { openConnections } from './connections.ts';
import { get } from './request.ts';

const NAME = 'shop.example';

async function request(t: TestContext, protocol: string, guard: Partial<AddressGuard>) {
  const server = await serve({ '/': 'here' });
  const toServer: LookupFunction = (_name, { all }, callback) =>
    all === true ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
  const connections = openConnections({ lookup: toServer, refusal: () => null, ...guard }, []);
  t.after(async () => {
    connections.close();
    await server[Symbol.asyncDispose]();
  });
  const url = new URL(server.origin.replace('http:', protocol).replace('127.0.0.1', NAME));
  const timeouts = { connectMs: 5_000, headersMs: 5_000, idleMs: 5_000 };
  const answer = get(url, { connections, headers: {}, timeouts, signal: new AbortController().signal });
  return { answer, requests: server.requests };
}

const isRefused = (error: unknown) => error instanceof SitemapError && error.code === 'PRIVATE_HOST';

describe('openConnections', () => {
  test('resolves names with the guard', async (t) => {
    const { answer } = await request(t, 'http:', {});
    assert.equal((await answer).statusCode, 200);
  });

  for (const protocol of ['http:', 'https:']) {
    test(`connects to no address that the guard refuses to resolve (${protocol})`, async (t) => {
      const { answer, requests } = await request(t, protocol, {
        lookup: (name, _how, callback) => callback(createPrivateHostError(name, 'it is private'), []),
      });
      await assert.rejects(answer, isRefused);
      assert.deepEqual(requests, []);
    });

    test(`sends nothing to a peer that the guard refuses once connected (${protocol})`, async (t) => {
      const { answer, requests } = await request(t, protocol, {
        refusal: (host, address) => (host === NAME && address === '127.0.0.1' ? 'it is private' : null),
      });
      await assert.rejects(answer, isRefused);
      assert.deepEqual(requests, []);
    });
  }
});
