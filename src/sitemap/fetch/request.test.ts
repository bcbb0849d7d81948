import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { collect, sitemapindex, urlset } from '../../../test/support/sitemap/collect.ts';

const PAGE = 'https://shop.example/a';
const respond = (body: string, status = '200 OK') =>
  `HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** A server of raw bytes: `answer` is called for each request with its path and the number of the connection. */
async function serveRaw(answer: (socket: Socket, path: string, connection: number) => void) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const connection = connections;
    socket.on('error', () => socket.destroy());
    socket.on('data', (head) => answer(socket, head.toString('latin1').split(' ', 2)[1] ?? '', connection));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

describe('interim answers that were not asked for', () => {
  for (const interim of ['100 Continue', '102 Processing', '103 Early Hints']) {
    test(`${interim} is followed by the answer`, async () => {
      await using server = await serveRaw((socket) => {
        socket.write(`HTTP/1.1 ${interim}\r\n\r\n`);
        setTimeout(() => socket.write(respond(urlset(PAGE))), 20);
      });
      const got = await collect([`${server.origin}/s.xml`]);
      assert.deepEqual([got.locs, got.codes], [[PAGE], []]);
    });
  }

  test('without end they are a timeout', async () => {
    await using server = await serveRaw((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    const got = await collect([`${server.origin}/s.xml`], { timeouts: { headersMs: 200 } });
    assert.deepEqual(got.codes, ['error TIMEOUT']);
  });
});

describe('a connection that is kept alive', () => {
  test('serves the next sitemap too', async () => {
    await using server = await serveRaw((socket, path) =>
      socket.write(respond(path === '/index.xml' ? sitemapindex('/a.xml', '/b.xml') : urlset(`${PAGE}${path}`))),
    );
    const got = await collect([`${server.origin}/index.xml`], { concurrency: 1 });
    assert.deepEqual([got.locs.length, server.connections()], [2, 1]);
  });

  test('gives large bodies as they are, and keeps no memory of what was read', async () => {
    const pages = (name: string) => Array.from({ length: 40_000 }, (_, n) => `${PAGE}${name}/${n}`);
    await using server = await serveRaw((socket, path) =>
      socket.write(respond(path === '/index.xml' ? sitemapindex('/a.xml', '/b.xml') : urlset(...pages(path)))),
    );
    const read: Buffer[] = [];
    const watch = (message: unknown) => {
      const { socket } = message as { socket: Socket };
      socket.on('data', (chunk) => read.push(chunk));
    };
    subscribe('net.client.socket', watch);
    const got = await collect([`${server.origin}/index.xml`], { concurrency: 1 });
    unsubscribe('net.client.socket', watch);
    assert.deepEqual([got.locs, server.connections()], [[...pages('/a.xml'), ...pages('/b.xml')], 1]);
    const kept = read.reduce((sum, { length }) => sum + length, 0);
    assert.ok(read.length > 20 && kept < 500_000, `${kept} bytes of ${read.length} reads`);
  });

  test('that the server has closed costs no attempt', async () => {
    await using server = await serveRaw((socket, path, connection) => {
      if (path === '/index.xml') socket.write(respond(sitemapindex('/a.xml')));
      // The second request on the first connection: the server ends it as one does whose time has run out.
      else if (connection === 1) socket.destroy();
      else socket.write(respond(urlset(PAGE)));
    });
    const got = await collect([`${server.origin}/index.xml`], { retries: 0 });
    assert.deepEqual([got.locs, got.codes], [[PAGE], []]);
  });
});

describe('each wait has its own limit and message', () => {
  const pages: Record<string, (socket: Socket) => void> = {
    'no answer in time': () => undefined,
    'the body stopped coming': (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n<urlset>'),
  };
  for (const [message, answer] of Object.entries(pages)) {
    test(message, async () => {
      await using server = await serveRaw(answer);
      const got = await collect([`${server.origin}/s.xml`], { timeouts: { headersMs: 200, idleMs: 200 } });
      assert.deepEqual(
        got.problems.map((problem) => [problem.code, problem.message]),
        [['TIMEOUT', message]],
      );
    });
  }
});

test('a switch of protocols that was not asked for is a failed answer', async () => {
  await using server = await serveRaw((socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'),
  );
  const got = await collect([`${server.origin}/s.xml`], { retries: 0 });
  assert.deepEqual(got.codes, ['error NETWORK']);
});
