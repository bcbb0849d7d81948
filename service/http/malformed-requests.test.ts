import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSearchApi } from '../../test/support/search-api.ts';
import { openService, serviceTest, TestClient, urlList } from '../../test/support/service.ts';
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

describe('malformed requests', () => {
  // Each waits for many seconds: they wait at the same time.
  describe('requests that take long', { concurrency: true }, () => {
    test('spec 7: a stalled body is 408, a slow but steady one is accepted', {
      timeout: 60_000,
    }, async (t) => {
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

    test('spec 4.8: a check of 20 seconds gets its response even when malformed bytes follow', {
      timeout: 60_000,
    }, async (t) => {
      const brave = await openSearchApi(t, async () => {
        await sleep(20_000);
        return true;
      });
      const { client } = await openService(t, 'sqlite', { settings: { indexCheck: { provider: 'brave', brave } } });
      const body = JSON.stringify({ urls: ['https://shop.example/one'] });
      const answer = await readAll(client, toHead(client, '/index-check', body.length) + body, 1_000, '\u0001');
      assert.match(answer, /^HTTP\/1\.1 200 /, answer.slice(0, 200));
      assert.match(answer, /"found":true/);
      assert.equal(countAnswers(answer), 1);
    });
  });

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
    'spec 8: 404 and 405 use the budgets of a valid key and carry them; without one they need no key',
    async ({ client }) => {
      const remaining = async (method: string, path: string, headers: Record<string, string> = {}) => {
        const answer = await client.send(method, path, { headers });
        return [answer.status, Number(answer.headers.get('x-ratelimit-remaining-minute') ?? Number.NaN)];
      };
      const [, before] = await remaining('GET', '/balance');
      assert.deepEqual(await remaining('GET', '/nothing'), [404, before! - 1]);
      assert.deepEqual(await remaining('DELETE', '/submissions'), [405, before! - 2]);
      const wrong = { authorization: 'Bearer wrong' };
      assert.deepEqual(await remaining('GET', '/nothing', wrong), [404, Number.NaN]);
      assert.deepEqual(await remaining('DELETE', '/submissions', wrong), [405, Number.NaN]);
    },
  );

  serviceTest('spec 7: malformed HTTP gets a specific 4xx, and the service stays up', async ({ client }) => {
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
  });

  serviceTest('spec 7: malformed or hostile bodies get a specific 4xx', async ({ client }) => {
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

  test('spec 7: a 100 MB body is rejected without being held in memory', async (t) => {
    const { client } = await openService(t, 'sqlite');
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const before = process.memoryUsage().rss;
    let peak = 0;
    /** Sends the body and returns what was read; '' when the reset of the closed connection overtook the answer. */
    const send = async (key: string): Promise<string> => {
      const { hostname, port } = new URL(client.baseUrl);
      const socket = connect(Number(port), hostname);
      socket.setMaxListeners(1_000);
      socket.on('error', () => undefined);
      const either = (event: string) =>
        Promise.race([once(socket, event), once(socket, 'close')]).catch(() => undefined);
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
      socket.destroy();
      return seen;
    };
    for (const key of [client.key, 'usk_nobody']) {
      // A client that still writes may lose the answer to the reset that follows it (RFC 9112, 9.6): it sends again.
      let seen = '';
      for (let attempt = 0; attempt < 5 && seen === ''; attempt++) seen = await send(key);
      assert.match(seen, key === client.key ? /^HTTP\/1.1 413 / : /^HTTP\/1.1 401 /);
    }
    assert.ok(peak - before < 80 * 1024 * 1024, `grew by ${Math.round((peak - before) / 1024 / 1024)} MB`);
  });

  test('spec 7: these settings disconnect a client that sends or reads nothing within 20 seconds', () => {
    assert.ok(TIMEOUTS.headersMs + TIMEOUTS.checkEveryMs <= 20_000);
    assert.ok(TIMEOUTS.graceMs + 2 * TIMEOUTS.checkEveryMs <= 20_000);
  });

  test('clients that do not read their answers are disconnected within 20 seconds', async (t) => {
    const { client } = await openService(t, 'sqlite');
    const urls = urlList(1_000, `https://shop.example/${'x'.repeat(2_000)}/`);
    const { reference } = (await client.post('/submissions', 'unread-key-1', { urls })).body.data;
    const { hostname, port } = new URL(client.baseUrl);
    const request = `GET /api/v1/submissions/${reference}?url_limit=500 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${client.key}\r\n\r\n`;
    const began = performance.now();
    const open = Array.from({ length: 3 }, async () => {
      const socket = connect(Number(port), hostname).pause();
      t.after(() => socket.destroy());
      socket.on('error', () => undefined).write(request.repeat(30));
      // Without a reader the end is seen when the service no longer takes what is written.
      const asking = setInterval(() => socket.write(request), 250);
      // Not once(): the end comes with an error.
      await new Promise((resolve) => socket.on('close', resolve));
      clearInterval(asking);
    });
    await Promise.all(open);
    assert.ok(performance.now() - began < 20_000, `held for ${Math.round(performance.now() - began)} ms`);
  });

  test('spec 2.6: every response has security headers and the request id, and no log has the key', async (t) => {
    const lines: string[] = [];
    const { client, service } = await openService(t, 'sqlite', {
      logger: { level: 'trace', stream: { write: (line: string) => void lines.push(line) } },
    });
    const { headers, body } = await client.post('/submissions', 'logged-key-1', { urls: urlList(2) });
    await client.get('/balance', { 'x-api-key': client.key });
    await client.get(`/nothing?key=${client.key}`);
    const others = [
      await fetch(`${service.baseUrl}/nothing`),
      await fetch(`${service.baseUrl}/balance`, { method: 'DELETE' }),
      await fetch(`${service.baseUrl}/submissions/%ff`),
      await fetch(`${service.baseUrl}/balance`),
      await fetch(service.baseUrl),
    ];
    for (const each of [headers, ...others.map((response) => response.headers)]) {
      assert.equal(each.get('x-content-type-options'), 'nosniff');
      assert.equal(each.get('cache-control'), 'no-store');
      assert.match(each.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.equal(each.get('referrer-policy'), 'no-referrer');
      assert.match(each.get('x-request-id') ?? '', /^req_/);
      assert.equal(each.get('access-control-allow-origin'), null);
    }
    const log = lines.join('');
    assert.ok(log.includes(body.request_id), 'the log finds the request');
    assert.ok(!log.includes(client.key), 'no key in the log');
    assert.ok(!log.includes('shop.example'), 'no body in the log');
    for (const path of ['/healthz', '/readyz']) assert.equal((await fetch(new URL(path, service.baseUrl))).status, 200);
  });

  /** Everything that comes back until the service closes the connection. */
  async function readAll(client: TestClient, ...parts: (string | number)[]): Promise<string> {
    const { hostname, port } = new URL(client.baseUrl);
    const socket = connect(Number(port), hostname);
    let seen = '';
    socket.on('data', (data: Buffer) => {
      seen += data.toString();
    });
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    for (const part of parts) {
      if (typeof part === 'number') await sleep(part);
      else socket.write(part);
    }
    await closed;
    return seen;
  }

  const countAnswers = (text: string): number => text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;

  serviceTest('spec 7: malformed bytes after a request do not change its response', async ({ client }) => {
    const body = JSON.stringify({ service: 'standard', urls: ['https://shop.example/one'] });
    const head = toHead(client, '/submissions', body.length);
    const rests = ['rubbish\r\n\r\n', '\u0001', 'GET / HTTP/9\r\n\r\n'];
    for (const [index, rest] of rests.entries()) {
      const keyed = head.replace('raw-key-000', `raw-key-${index}00`);
      for (const parts of [[keyed + body + rest], [keyed + body, 5, rest]]) {
        const answer = await readAll(client, ...parts);
        assert.match(answer, /^HTTP\/1\.1 20[02] /, answer.slice(0, 200));
        assert.doesNotMatch(answer.slice(0, answer.indexOf('}')), /[Nn]othing was charged\./);
      }
    }
    assert.equal(await client.balance(), 999.25);
  });

  serviceTest('spec 7: malformed bytes on a reused connection get a response', async ({ client }) => {
    const get = `GET /api/v1/balance HTTP/1.1\r\nHost: x\r\nX-API-Key: ${client.key}\r\n\r\n`;
    for (const [broken, status] of [
      ['GARBAGE\r\n\r\n', 400],
      [`GET /api/v1/balance?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ] as const) {
      const answer = await readAll(client, get, 300, broken);
      assert.equal(countAnswers(answer), 2);
      assert.match(answer, new RegExp(`HTTP/1\\.1 200 [^]*HTTP/1\\.1 ${status} `));
    }
  });

  test('spec 7: a body with more structure than any valid one is rejected before it is parsed', async (t) => {
    const { client } = await openService(t, 'sqlite');
    await client.balance();
    const size = 11 * 1024 * 1024;
    const hostile = {
      'nested lists': `{"urls":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`,
      'many members': `{${'"a":1,'.repeat(size / 6)}"a":1}`,
      'many empty lists': `{"urls":[${'[],'.repeat(size / 3)}[]]}`,
    };
    for (const [what, body] of Object.entries(hostile)) {
      const before = process.threadCpuUsage();
      const { status, body: answer } = await client.post('/submissions', 'structure-key', body);
      const { user, system } = process.threadCpuUsage(before);
      assert.equal(status, 422, what);
      assert.match(answer.message, /nested more deeply, or has more or longer items/);
      assert.ok(user + system < 400_000, `${what}: ${Math.round((user + system) / 1_000)} ms of the thread`);
    }
  });

  test('requests and bodies over the capacity get 503 with Retry-After, and nothing is charged', async (t) => {
    const { client, service, account } = await openService(t, 'sqlite', {
      settings: { load: { requests: 5, requestsPerAccount: 1 }, bodies: { totalBytes: 100_000, accountBytes: 50_000 } },
    });
    const large = await client.post('/submissions', 'memory-key', { urls: urlList(3_000) });
    assert.deepEqual([large.status, large.body.error?.code], [503, 'service_unavailable']);
    assert.ok(Number(large.headers.get('retry-after')) >= 1);
    const { hostname, port } = new URL(client.baseUrl);
    const half = connect(Number(port), hostname);
    half.write(`${toHead(client, '/submissions', 100)}{"urls":`);
    await sleep(200);
    const second = await client.get('/balance');
    assert.deepEqual([second.status, second.body.error?.code], [503, 'service_unavailable']);
    const { id } = await service.accounts.account(account);
    const { apiKey } = await service.accounts.createKey({ account: id });
    assert.equal(await new TestClient(client.baseUrl, apiKey).balance(), 1000);
    half.destroy();
    await sleep(200);
    assert.equal(await client.balance(), 1000);
  });

  test('an aborted upload is not logged as a service failure, and its memory is freed', async (t) => {
    const lines: string[] = [];
    const { client } = await openService(t, 'sqlite', {
      logger: { level: 'info', stream: { write: (line: string) => void lines.push(line) } },
      settings: { bodies: { totalBytes: 100_000, accountBytes: 50_000 } },
    });
    const { hostname, port } = new URL(client.baseUrl);
    const body = JSON.stringify({ urls: urlList(1_000) });
    for (let index = 0; index < 4; index++) {
      const socket = connect(Number(port), hostname);
      socket.write(toHead(client, '/submissions', body.length) + body.slice(0, -1));
      await sleep(200);
      socket.destroy();
      await sleep(100);
    }
    assert.equal((await client.post('/submissions', 'after-broken-off', body)).status, 202);
    assert.ok(!lines.some((line) => (JSON.parse(line) as { level: number }).level >= 50), lines.join(''));
  });
});
