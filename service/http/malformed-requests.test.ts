import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openService, serviceTest, type TestClient, urlList } from '../../test/support/service.ts';
import { TIMEOUTS } from './slow-clients.ts';

/** Sends bytes as they are and returns all that comes back until the service closes, or answers once. */
async function raw(client: TestClient, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(client.baseUrl);
  const socket: Socket = connect(Number(port), hostname);
  let seen = '';
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      if (/\r\n\r\n.*\}$/s.test(seen)) resolve();
    });
    socket.on('close', () => resolve());
    socket.on('error', () => resolve());
  });
  socket.write(bytes);
  await answered;
  socket.destroy();
  return seen;
}

/** The envelope of an error, without a word of the inside. */
function isClear(answer: string, status: number, code: string): void {
  assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), answer.slice(0, 200));
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Record<string, unknown>;
  assert.deepEqual(Object.keys(body), ['success', 'status', 'message', 'data', 'error', 'request_id']);
  assert.equal((body.error as { code: string }).code, code);
  assert.doesNotMatch(answer, /node_modules|\.ts|SELECT|at \w+ \(/);
}

/** The head of a POST whose body follows. */
const toHead = ({ key }: TestClient, path: string, length: number, more = ''): string =>
  `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n` +
  `Idempotency-Key: raw-key-000\r\nContent-Length: ${length}\r\n${more}\r\n`;

serviceTest(
  'spec 2.6: unknown paths are 404 and wrong methods 405 with Allow, in the envelope, whatever the body',
  async ({ client }) => {
    const wrong: [string, string, number][] = [
      ['GET', '/nothing', 404],
      ['POST', '/nothing', 404],
      ['POST', '/balance', 405],
      ['DELETE', '/submissions', 405],
      ['OPTIONS', '/submissions', 405],
      ['PUT', '/index-check', 405],
      ['PATCH', '/submissions/sub_x', 405],
      ['OPTIONS', '/nothing', 404],
    ];
    for (const [method, path, status] of wrong) {
      const answer = await client.send(
        method,
        path,
        method === 'POST' ? { body: 'x', headers: { 'content-type': 'text/plain' } } : {},
      );
      assert.equal(answer.status, status, `${method} ${path}`);
      assert.equal(answer.body.error?.code, status === 404 ? 'route_not_found' : 'method_not_allowed');
      if (status === 405) assert.ok(answer.headers.get('allow'), `${method} ${path}`);
      assert.equal(answer.headers.get('x-request-id'), answer.body.request_id);
    }
    for (const method of ['TRACE', 'QUERY', 'PROPFIND'])
      isClear(await raw(client, `${method} /api/v1/balance HTTP/1.1\r\nHost: x\r\n\r\n`), 405, 'method_not_allowed');
  },
);

serviceTest(
  'spec 7: what is not HTTP, or broken in it, is a clear 4xx and the service stays up',
  async ({ client }) => {
    const auth = `Authorization: Bearer ${client.key}\r\n`;
    isClear(await raw(client, 'GARBAGE\r\n\r\n'), 400, 'invalid_request');
    const badPath = 'GET /api/v1/submissions/%ff HTTP/1.1\r\nHost: x\r\n';
    isClear(await raw(client, `${badPath}\r\n`), 401, 'unauthorized');
    isClear(await raw(client, `${badPath}${auth}\r\n`), 400, 'invalid_request');
    isClear(await raw(client, `GET /api/v1/balance HTTP/1.1\r\n${auth}\r\n`), 400, 'invalid_request');
    isClear(await raw(client, 'CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n'), 400, 'invalid_request');
    const expecting = `GET /api/v1/balance HTTP/1.1\r\nHost: x\r\nExpect: x\r\n${auth}\r\n`;
    assert.match(await raw(client, expecting), /^HTTP\/1.1 200 /);
    isClear(
      await raw(client, `GET /api/v1/balance HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`),
      431,
      'headers_too_large',
    );
    isClear(
      await raw(
        client,
        `POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\n${auth}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}`,
      ),
      400,
      'invalid_request',
    );
    isClear(
      await raw(
        client,
        `POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\n${auth}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ),
      400,
      'invalid_request',
    );
    isClear(
      await raw(client, `GET /api/v1/submissions/${'x'.repeat(3_000)} HTTP/1.1\r\nHost: x\r\n${auth}\r\n`),
      404,
      'submission_not_found',
    );
    isClear(
      await raw(
        client,
        `GET /api/v1/balance HTTP/1.1\r\nHost: x\r\n${auth}${auth.replace(client.key, 'usk_other')}\r\n`,
      ),
      401,
      'unauthorized',
    );
    const head = `POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\n${auth}Content-Type: application/json\r\n`;
    isClear(
      await raw(
        client,
        `${head}Idempotency-Key: twice-sent-1\r\nIdempotency-Key: twice-sent-2\r\nContent-Length: 2\r\n\r\n{}`,
      ),
      400,
      'invalid_idempotency_key',
    );
    assert.equal((await client.get('/balance')).status, 200);
  },
);

serviceTest('spec 7: hostile bodies are a clear 4xx', async ({ client }) => {
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  const nested = `{"urls":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`;
  const bodies: [unknown, number][] = [
    [deep, 422],
    [nested, 422],
    ['{"__proto__":{"service":"fast"},"url":"https://a.example/"}', 422],
    ['{"constructor":{"prototype":{}},"url":"https://a.example/"}', 422],
    ['{"url":"https://a.example/\\u0000"}', 422],
    ['{"url":"https://a.example/\\ud800"}', 422],
    [`{"urls":[${'"x",'.repeat(2_000_000)}"x"]}`, 422],
    ['NaN', 400],
    ['{"url":1e999}', 422],
    ['\ufeff{"url":"https://a.example/"}', 400],
  ];
  for (const [body, status] of bodies)
    assert.equal((await client.post('/submissions', 'hostile-key', body)).status, status, String(body).slice(0, 40));
  const { hostname, port } = new URL(client.baseUrl);
  const bytes = Buffer.concat([
    Buffer.from('{"project":"'),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('","url":"https://a.example/"}'),
  ]);
  const response = await fetch(`http://${hostname}:${port}/api/v1/submissions`, {
    method: 'POST',
    body: bytes,
    headers: {
      authorization: `Bearer ${client.key}`,
      'content-type': 'application/json',
      'idempotency-key': 'hostile-key',
    },
  });
  assert.equal(response.status, 400, 'not UTF-8');
  assert.equal(await client.balance(), 1000);
});

test('spec 7: a 100 MB body is refused without being held in memory', async (t) => {
  const { client } = await openService(t, 'sqlite');
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  const before = process.memoryUsage().rss;
  let peak = 0;
  for (const key of [client.key, 'usk_nobody']) {
    const { hostname, port } = new URL(client.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.setMaxListeners(1_000);
    socket.on('error', () => undefined);
    const either = (event: string) => Promise.race([once(socket, event), once(socket, 'close')]).catch(() => undefined);
    let seen = '';
    socket.on('data', (data: Buffer) => {
      seen += data.toString();
    });
    socket.write(
      `POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (let sent = 0; sent < 100 && socket.writable; sent++) {
      socket.write('100000\r\n');
      socket.write(chunk);
      if (!socket.write('\r\n')) await either('drain');
      peak = Math.max(peak, process.memoryUsage().rss);
    }
    while (seen === '' && !socket.closed) await either('data');
    assert.match(seen, key === client.key ? /^HTTP\/1.1 413 / : /^HTTP\/1.1 401 /);
    socket.destroy();
  }
  assert.ok(peak - before < 80 * 1024 * 1024, `grew by ${Math.round((peak - before) / 1024 / 1024)} MB`);
});

test('spec 7: a client that sends nothing, or reads nothing, is ended within 20 seconds, by these settings', () => {
  assert.ok(TIMEOUTS.headersMs + TIMEOUTS.checkEveryMs <= 20_000);
  assert.ok(TIMEOUTS.graceMs + 2 * TIMEOUTS.checkEveryMs <= 20_000);
  assert.ok(2 * TIMEOUTS.writeIdleMs <= 20_000);
});

test('spec 7: a body that stalls is 408, one that keeps coming slowly is accepted', { timeout: 60_000 }, async (t) => {
  const { client } = await openService(t, 'sqlite');
  const body = JSON.stringify({ urls: urlList(3_000) });
  const head = toHead(client, '/submissions', body.length);
  const stalled = raw(client, head + body.slice(0, 100));
  const { hostname, port } = new URL(client.baseUrl);
  const slow = connect(Number(port), hostname);
  let answer = '';
  slow.on('data', (data: Buffer) => {
    answer += data.toString();
  });
  slow.write(head.replace('raw-key-000', 'slow-key-00'));
  // 15 seconds in all: longer than the grace, at 6 KB a second less than the slowest rate allows after it.
  const size = Math.ceil(body.length / 30);
  for (let part = 0; part < 30; part++) {
    slow.write(body.slice(part * size, (part + 1) * size));
    await sleep(500);
  }
  while (answer === '' && !slow.closed) await sleep(20);
  slow.destroy();
  assert.match(answer, /^HTTP\/1.1 202 /);
  isClear(await stalled, 408, 'request_timeout');
});

test('spec 2.6: security headers and the request id are on every answer, the key in no log', async (t) => {
  const lines: string[] = [];
  const { client, service } = await openService(t, 'sqlite', {
    logger: { level: 'trace', stream: { write: (line: string) => void lines.push(line) } },
  });
  const { headers, body } = await client.post('/submissions', 'logged-key-1', { urls: urlList(2) });
  await client.get('/balance', { 'x-api-key': client.key });
  await client.get(`/nothing?key=${client.key}`);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('access-control-allow-origin'), null);
  const log = lines.join('');
  assert.ok(log.includes(body.request_id), 'the log finds the request');
  assert.ok(!log.includes(client.key), 'no key in the log');
  assert.ok(!log.includes('shop.example'), 'no body in the log');
  for (const path of ['/healthz', '/readyz']) assert.equal((await fetch(new URL(path, service.baseUrl))).status, 200);
});
