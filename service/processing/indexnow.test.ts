import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { indexNowProcessor } from './indexnow.ts';
import { type Item, type Outcome, TryLaterError } from './processor.ts';

interface Received {
  readonly host: string;
  readonly key: string;
  readonly keyLocation?: string;
  readonly urlList: string[];
}

/** An IndexNow endpoint that answers a host with the status that its name says: h403.example. */
async function endpoint(t: TestContext, headers: Record<string, string> = {}) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Received;
    received.push(body);
    response.writeHead(Number(/^h(\d+)/.exec(body.host)?.[1] ?? 200), headers).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/indexnow` };
}

const items = (...urls: string[]): Item[] => urls.map((url, position) => ({ position, url }));
const { signal } = new AbortController();
const KEY = 'a1b2c3d4-key';

async function run(processor: ReturnType<typeof indexNowProcessor>, list: Item[]) {
  const outcomes: Outcome[] = [];
  let error: unknown;
  await processor
    .run(list, async (some) => void outcomes.push(...some), signal)
    .catch((reason: unknown) => {
      error = reason;
    });
  return { outcomes, error };
}

test('URLs are sent per host with the key and its location; 200 and 202 mean received', async (t) => {
  const { received, url } = await endpoint(t);
  const processor = indexNowProcessor({ endpoint: url, key: KEY, keyLocation: 'https://{host}/keys/key.txt' });
  const { outcomes } = await run(
    processor,
    items('https://h200.example/1', 'https://h202.example/2', 'https://h200.example/3'),
  );
  assert.deepEqual(received, [
    {
      host: 'h200.example',
      key: KEY,
      keyLocation: 'https://h200.example/keys/key.txt',
      urlList: ['https://h200.example/1', 'https://h200.example/3'],
    },
    {
      host: 'h202.example',
      key: KEY,
      keyLocation: 'https://h202.example/keys/key.txt',
      urlList: ['https://h202.example/2'],
    },
  ]);
  assert.deepEqual(
    outcomes.map(({ position, status }) => [position, status]),
    [
      [0, 'completed'],
      [2, 'completed'],
      [1, 'completed'],
    ],
  );
});

describe('statuses that reject a batch', () => {
  for (const status of [400, 403, 422]) {
    test(`${status} fails the URLs of the host with the protocol's reason, and no other host`, async (t) => {
      const { url } = await endpoint(t);
      const { outcomes, error } = await run(
        indexNowProcessor({ endpoint: url, key: KEY }),
        items(`https://h${status}.example/1`, 'https://h200.example/2'),
      );
      assert.equal(error, undefined);
      assert.deepEqual(
        outcomes.map((outcome) => outcome.status),
        ['failed', 'completed'],
      );
      assert.match(outcomes[0]?.reason ?? '', /^IndexNow: /);
    });
  }
});

test('a 429 waits for Retry-After, and earlier outcomes stay recorded', async (t) => {
  const { url } = await endpoint(t, { 'retry-after': '90' });
  const { outcomes, error } = await run(
    indexNowProcessor({ endpoint: url, key: KEY }),
    items('https://h200.example/1', 'https://h429.example/2'),
  );
  assert.equal(outcomes.length, 1);
  assert.ok(error instanceof TryLaterError && error.afterMs === 90_000);
});

test('any other response is retried', async (t) => {
  const { url } = await endpoint(t);
  const { error } = await run(indexNowProcessor({ endpoint: url, key: KEY }), items('https://h500.example/1'));
  assert.ok(error instanceof TryLaterError && error.afterMs === undefined);
});

test('a failing host delays no other host', async (t) => {
  const { url, received } = await endpoint(t);
  const processor = indexNowProcessor({ endpoint: url, key: KEY });
  const hosts = ['h500', ...Array.from({ length: 20 }, (_, index) => `h200x${index}`), 'h404', 'h200last'];
  const list = items(...hosts.map((host) => `https://${host}.example/`));
  assert.equal(processor.split(list).length, 1);
  const { outcomes, error } = await run(processor, list);
  assert.equal(outcomes.length, 21);
  assert.equal(received.length, 23);
  assert.ok(error instanceof TryLaterError);
});

test('an invalid key is rejected at startup', () => {
  assert.throws(() => indexNowProcessor({ endpoint: 'https://x.example', key: 'short' }), /8 to 128/);
});
