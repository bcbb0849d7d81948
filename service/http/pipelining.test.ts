import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSearchApi } from '../../test/support/search-api.ts';
import { openService, serviceTest, type TestClient } from '../../test/support/service.ts';
import { carryOutInTurn } from './pipelining.ts';

let posts = 0;
const head = ({ key }: TestClient, line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`, ...headers, '', ''].join('\r\n');
const get = (client: TestClient): string => head(client, 'GET /api/v1/balance');

const BODY = JSON.stringify({ urls: ['https://shop.example/one'], service: 'standard' });
const POST = ['Content-Type: application/json', `Content-Length: ${BODY.length}`];
const post = (client: TestClient, ...more: string[]): string =>
  head(client, 'POST /api/v1/submissions', ...POST, `Idempotency-Key: pipelined-${++posts}`, ...more) + BODY;
const CHECK_BODY = JSON.stringify({ urls: ['https://shop.example/one'] });
const check = (client: TestClient): string =>
  head(
    client,
    'POST /api/v1/index-check',
    ...['Content-Type: application/json', `Content-Length: ${CHECK_BODY.length}`],
    `Idempotency-Key: pipelined-${++posts}`,
  ) + CHECK_BODY;
const CHUNKED = ['Content-Type: application/json', 'Transfer-Encoding: chunked', 'Idempotency-Key: pipelined-broken'];
const brokenBody = (client: TestClient): string =>
  `${head(client, 'POST /api/v1/submissions', ...CHUNKED)}5\r\n{"url\r\nZZZZ\r\n`;

/** Sends the parts, 20 ms apart, and returns the statuses that come back until the service closes the connection. */
async function send(client: TestClient, parts: readonly string[], end: 'close' | 'keep' = 'keep'): Promise<Seen> {
  const { hostname, port } = new URL(client.baseUrl);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let text = '';
  socket.on('data', (data: Buffer) => {
    text += data.toString();
  });
  socket.on('error', () => undefined);
  const ended = Promise.race([once(socket, 'end'), once(socket, 'close')]);
  for (const [index, part] of parts.entries()) {
    if (index > 0) await sleep(20);
    socket.write(part);
  }
  if (end === 'close') socket.end();
  await ended;
  socket.destroy();
  return { statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)), text };
}

interface Seen {
  readonly statuses: readonly number[];
  readonly text: string;
}

interface Case {
  readonly what: string;
  readonly send: (client: TestClient) => readonly string[];
  readonly statuses: readonly number[];
  readonly charged: number;
  /** The client closes its side, or the service closes by itself. */
  readonly end?: 'close';
  /** The end of the client's side may come when all before is answered: then a 400 is the answer to the half. */
  readonly mayBeginLast?: boolean;
}

const CASES: readonly Case[] = [
  {
    what: 'a request and one whose body is broken',
    send: (client) => [post(client) + brokenBody(client)],
    statuses: [202],
    charged: 0.25,
  },
  {
    what: 'a check and one whose body is broken',
    send: (client) => [check(client) + brokenBody(client)],
    statuses: [200],
    charged: 0.5,
  },
  {
    what: 'two requests and one that is broken',
    send: (client) => [`${post(client)}${post(client)}GARBAGE\r\n\r\n`],
    statuses: [202, 202],
    charged: 0.5,
  },
  {
    what: 'two requests, then one whose body is broken and a fourth',
    send: (client) => [post(client) + post(client) + brokenBody(client) + post(client), post(client)],
    statuses: [202, 202],
    charged: 0.5,
  },
  {
    what: 'a broken request first',
    send: (client) => [`GARBAGE\r\n\r\n${post(client)}`, post(client)],
    statuses: [400],
    charged: 0,
  },
  {
    what: 'a request that breaks while its body arrives, and another one',
    send: (client) => [brokenBody(client) + post(client), post(client)],
    statuses: [400],
    charged: 0,
  },
  {
    what: 'a read and a submission',
    send: (client) => [get(client) + post(client, 'Connection: close')],
    statuses: [200, 202],
    charged: 0.25,
  },
  {
    what: 'a submission and a read',
    send: (client) => [post(client) + get(client) + brokenBody(client)],
    statuses: [202, 200],
    charged: 0.25,
  },
  {
    what: 'a request after one with Connection: close',
    send: (client) => [post(client, 'Connection: close') + post(client), post(client)],
    statuses: [202],
    charged: 0.25,
  },
  {
    what: 'a refused request and a valid one',
    send: (client) => [
      `${head(client, 'POST /api/v1/submissions', 'Content-Type: text/plain', 'Content-Length: 2')}{}${post(client, 'Connection: close')}`,
    ],
    statuses: [415, 202],
    charged: 0.25,
  },
  {
    what: 'a request with Upgrade and another one',
    send: (client) => [post(client, 'Connection: upgrade', 'Upgrade: websocket') + post(client)],
    statuses: [202],
    charged: 0.25,
  },
  {
    what: 'a request and CONNECT',
    send: (client) => [`${post(client)}CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n${post(client)}`],
    statuses: [202],
    charged: 0.25,
  },
  {
    what: 'two requests with Expect: 100-continue',
    send: (client) => [
      post(client, 'Expect: 100-continue') + post(client, 'Expect: 100-continue', 'Connection: close'),
    ],
    statuses: [100, 202, 100, 202],
    charged: 0.5,
  },
  {
    what: 'a request and one whose header is too large',
    send: (client) => [post(client) + head(client, 'GET /api/v1/balance', `X-Big: ${'x'.repeat(20_000)}`)],
    statuses: [202],
    charged: 0.25,
  },
  {
    what: 'a request and one with two lengths of its body',
    send: (client) => [
      `${post(client)}${head(client, 'POST /api/v1/submissions', ...CHUNKED, 'Content-Length: 5')}0\r\n\r\n${post(client)}`,
    ],
    statuses: [202],
    charged: 0.25,
  },
  {
    what: 'a request whose Content-Length is too short',
    send: (client) => [`${post(client)}GET /smuggled HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n`],
    statuses: [202],
    charged: 0.25,
  },
  {
    what: 'a request and the half of one, after which the client closes its side',
    send: (client) => [post(client) + brokenBody(client).slice(0, -6)],
    statuses: [202],
    charged: 0.25,
    end: 'close',
    mayBeginLast: true,
  },
  {
    what: 'a request, after which the client closes its side',
    send: (client) => [post(client)],
    statuses: [202],
    charged: 0.25,
    end: 'close',
  },
];

describe('requests of one connection', () => {
  for (const { what, send: make, statuses, charged, end, mayBeginLast = false } of CASES) {
    serviceTest(`${what}: each answer is of its own request`, async ({ client }) => {
      for (const apart of [false, true]) {
        const before = await client.balance();
        const parts = make(client);
        const seen = await send(client, apart ? parts : [parts.join('')], end);
        const isHalfAnswered = mayBeginLast && seen.statuses.length > statuses.length;
        assert.deepEqual(seen.statuses, isHalfAnswered ? [...statuses, 400] : statuses, seen.text);
        assert.equal(before - (await client.balance()), charged);
        if (charged > 0 && !isHalfAnswered) assert.doesNotMatch(seen.text.slice(-200), /cannot be read as HTTP/);
      }
    });
  }

  serviceTest('spec 2.6: requests of one connection are carried out one after the other', async ({ client }) => {
    const same = post(client);
    const { statuses } = await send(client, [
      same + same + get(client).repeat(500) + post(client, 'Connection: close'),
    ]);
    assert.deepEqual(statuses, [202, 200, ...Array.from({ length: 500 }, () => 200), 202]);
  });

  test('a connection is not read on while a hundred of its requests wait', async (t) => {
    const answer = Promise.withResolvers<void>();
    const server = createServer(async ({ url }, response) => {
      if (url === '/first') await answer.promise;
      response.end();
    });
    carryOutInTurn(server);
    let arrived = 0;
    server.on('request', () => arrived++);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const request = (path: string, ...headers: string[]) =>
      [`GET ${path} HTTP/1.1`, 'Host: x', `X-Long: ${'x'.repeat(1_000)}`, ...headers, '', ''].join('\r\n');
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    const bytes = text(socket);
    bytes.catch(() => undefined);
    socket.write(request('/first') + request('/next').repeat(5_000) + request('/last', 'Connection: close'));
    // The service takes its turn with another connection each time, and reads what this one has sent.
    for (let round = 0; round < 40; round++) await (await fetch(`http://127.0.0.1:${port}/other`)).text();
    assert.ok(arrived - 40 < 250, `${arrived - 40} requests were read: a hundred, and those of one more read`);
    answer.resolve();
    assert.equal((await bytes).match(/HTTP\/1\.1 200 /g)?.length, 5_002);
  });

  test('requests behind one whose client has gone are never begun, and hold no place', async (t) => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<boolean>();
    const brave = await openSearchApi(t, async () => {
      asked.resolve();
      return answer.promise;
    });
    const { client } = await openService(t, 'sqlite', {
      settings: { indexCheck: { provider: 'brave', brave }, load: { requests: 100, requestsPerAccount: 2 } },
    });
    const { hostname, port } = new URL(client.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(check(client) + post(client) + post(client));
    await asked.promise;
    socket.resetAndDestroy();
    answer.resolve(true);
    // Two places were too few if one of them were kept.
    for (let round = 0; round < 3; round++) {
      while ((await client.get('/stats')).status === 503) await sleep(5);
      const [one, two] = await Promise.all([client.get('/balance'), client.get('/balance')]);
      assert.deepEqual([one.status, two.status], [200, 200]);
    }
    assert.equal(await client.balance(), 999.5, 'the check alone was charged');
  });

  describe('that take longer than a client may be idle', { concurrency: true }, () => {
    for (const [what, make, statuses] of [
      ['a read and a check', (client) => get(client) + check(client), [200, 200]],
      ['a check and a read', (client) => check(client) + get(client), [200, 200]],
      ['a check and one that is broken', (client) => check(client) + brokenBody(client), [200]],
      ['a check and half a request', (client) => check(client) + get(client).slice(0, 40), [200]],
    ] as const satisfies readonly [string, (client: TestClient) => string, readonly number[]][]) {
      test(`${what}: the check of 12 seconds gets its answer`, { timeout: 60_000 }, async (t) => {
        const brave = await openSearchApi(t, async () => {
          await sleep(12_000);
          return true;
        });
        const { client } = await openService(t, 'sqlite', { settings: { indexCheck: { provider: 'brave', brave } } });
        const seen = await send(client, [make(client)]);
        assert.deepEqual(seen.statuses, statuses, seen.text);
        assert.match(seen.text, /"found":true/);
      });
    }
  });
});
