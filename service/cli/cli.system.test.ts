import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TestClient, urlList } from '../../test/support/service.ts';
import { type Ran, runService } from '../../test/support/service-processes.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

function folder(t: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'courier-cli-'));
  t.after(() => rmSync(made, { recursive: true }));
  return made;
}

/** `said`: what it has written to stderr. */
async function serve(...args: string[]): Promise<{ child: ChildProcess; baseUrl: string; said: () => string }> {
  const child = spawn(process.execPath, [main, 'serve', '--json', '--port', '0', '--log-level', 'warn', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  const first = JSON.parse(line) as { type: string; base_url: string };
  assert.equal(first.type, 'listening');
  return { child, baseUrl: first.base_url, said: () => stderr };
}

describe('courier-service', () => {
  test('account create, key create and serve work on an empty disk; SIGTERM answers the request in flight and exits with 0', async (t) => {
    const database = `sqlite:${join(folder(t), 'sub', 'service.db')}`;
    const made = await runService(
      'account',
      'create',
      '--name',
      'shop',
      '--balance',
      '100.00',
      '--price',
      '0.25',
      '--price-fast',
      '0.50',
      '--database',
      database,
    );
    assert.equal(made.code, 0);
    assert.deepEqual(
      made.records.map(({ type }) => type),
      ['version', 'account', 'summary'],
    );
    assert.equal(made.records[1]?.price_fast_micros, 500_000);
    const created = (await runService('key', 'create', '--account', 'shop', '--database', database)).records[1]!;
    assert.equal(created.type, 'key');
    const key = String(created.api_key);
    const listed = await runService('key', 'list', '--account', 'shop', '--database', database);
    assert.ok(!JSON.stringify(listed.records).includes(key), 'the key is shown once');

    const { child, baseUrl } = await serve('--database', database);
    const client = new TestClient(baseUrl, key);
    assert.equal(
      (await client.post('/submissions', 'cli-test-key-1', { urls: urlList(2), service: 'fast' })).status,
      202,
    );
    assert.equal(
      (await runService('account', 'top-up', '--name', 'shop', '--amount', '1', '--database', database)).code,
      0,
    );
    assert.equal(await client.balance(), 100, 'a running service sees the top-up at once');

    const body = JSON.stringify({ urls: urlList(3) });
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
    });
    socket.write(
      `POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nIdempotency-Key: cli-test-key-2\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    // The request is under way when the service asks for its body.
    while (!answer.includes('100 Continue')) await once(socket, 'data');
    answer = '';
    socket.write(body.slice(0, 10));
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await untilRefused(Number(port), hostname);
    socket.write(body.slice(10));
    const [code] = (await ended) as [number];
    assert.match(answer, /^HTTP\/1.1 202 /);
    assert.equal(code, 0);
  });

  /** Until the service accepts no more connections: it has begun to end. */
  async function untilRefused(port: number, host: string): Promise<void> {
    for (;;) {
      const probe = connect(port, host);
      const refused = await once(probe, 'connect').then(
        () => false,
        () => true,
      );
      probe.destroy();
      if (refused) return;
    }
  }

  for (const signal of ['SIGINT', 'SIGHUP'] as const) {
    test(`${signal} ends the service with 0, like SIGTERM, and its log says when and that it stopped`, async (t) => {
      const database = `sqlite:${join(folder(t), 'service.db')}`;
      const { child, said } = await serve('--database', database, '--log-level', 'info');
      const ended = once(child, 'close');
      child.kill(signal);
      assert.deepEqual(await ended, [0, null]);
      assert.match(said(), /"level":"info","time":"\d{4}-\d\d-\d\dT[\d:.]+Z"/);
      assert.match(said(), /\ncourier-service has stopped\.\n$/);
    });
  }

  test('usage errors name the mistake and exit with 2; an unreachable database exits with 5', async (t) => {
    const here = folder(t);
    const database = `sqlite:${join(here, 'service.db')}`;
    const file = join(here, 'service.yaml');
    writeFileSync(file, 'processing: { procesor: indexnow }\n');
    const wrong: [Ran, number, RegExp][] = [
      [
        await runService('key', 'create', '--account', 'nobody', '--database', database),
        2,
        /no account named "nobody"/,
      ],
      [
        await runService('account', 'create', '--name', 'x', '--price', '1,5', '--database', database),
        2,
        /Write 1\.50TRY/,
      ],
      [
        await runService(
          'account',
          'create',
          '--name',
          'x',
          '--balance',
          '1.500',
          '--price',
          '1',
          '--database',
          database,
        ),
        2,
        /two amounts\. Write 1500TRY or 1\.50TRY/,
      ],
      [await runService('account', 'top-up', '--name', 'x', '--amount', '-1', '--database', database), 2, /amount/],
      [await runService('serve', '--config', file, '--database', database), 2, /processing.*procesor/],
      [await runService('serve', '--database', 'mysql://x'), 2, /sqlite:PATH or postgres/],
      [await runService('account', 'list', '--database', 'postgres://x@127.0.0.1:1/x'), 5, /cannot be used/],
      [await runService('unknown'), 2, /unknown/],
    ];
    for (const [{ code, stderr }, expected, said] of wrong) {
      assert.equal(code, expected, stderr);
      assert.match(stderr, said);
      assert.doesNotMatch(stderr, /at .*\.ts:\d+/);
    }
  });
});
