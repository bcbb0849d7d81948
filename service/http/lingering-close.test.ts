import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openService, type TestClient } from '../../test/support/service.ts';
import { LINGER } from './lingering-close.ts';

const MEGABYTE = 1024 * 1024;
const chunk = `100000\r\n${'x'.repeat(MEGABYTE)}\r\n`;

async function open(t: TestContext, client: TestClient): Promise<Socket> {
  const { hostname, port } = new URL(client.baseUrl);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const toHead = ({ key }: TestClient, length: string): string =>
  `POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n` +
  `Idempotency-Key: linger-key-1\r\n${length}\r\n\r\n`;

/** Sends all of it before it reads anything, as simple clients do; returns all that comes back. */
async function sendThenRead(socket: Socket, parts: readonly string[]): Promise<string> {
  socket.pause();
  for (const part of parts) {
    if (!socket.write(part)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
    if (socket.destroyed) break;
  }
  // What the service does after its answer has happened.
  await sleep(200);
  let seen = '';
  socket.on('data', (bytes: Buffer) => {
    seen += bytes.toString();
  });
  if (!socket.destroyed) {
    socket.end();
    socket.resume();
    await once(socket, 'close');
  }
  return seen;
}

describe('a client that sends its whole body before it reads', () => {
  for (const [what, parts, status] of [
    ['an oversized body in chunks', ['Transfer-Encoding: chunked', ...Array<string>(8).fill(chunk)], 413],
    ['an oversized body of known length', [`Content-Length: ${40 * MEGABYTE}`, ...Array<string>(8).fill(chunk)], 413],
    ['malformed chunks', ['Transfer-Encoding: chunked', 'no chunk\r\n', ...Array<string>(4).fill(chunk)], 400],
  ] as const) {
    test(`reads the ${status} of ${what}`, async (t) => {
      const { client } = await openService(t, 'sqlite', { settings: { bodyLimitBytes: MEGABYTE } });
      const [length, ...body] = parts;
      for (let attempt = 0; attempt < 5; attempt++) {
        const socket = await open(t, client);
        const answer = await sendThenRead(socket, [toHead(client, length), ...body]);
        assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), `attempt ${attempt}`);
        assert.match(answer, /\r\nconnection: close\r\n/i);
        assert.match(answer, /Nothing was charged/);
      }
    });
  }

  for (const [what, begin, part] of [
    ['a million brackets', '{"urls":', '['.repeat(MEGABYTE)],
    ['half a million nested objects', '{"urls":[', '{"a":'.repeat(MEGABYTE / 5)],
  ] as const) {
    test(`reads the 422 of ${what}, which is refused at its beginning`, async (t) => {
      const { client } = await openService(t, 'sqlite');
      for (let attempt = 0; attempt < 5; attempt++) {
        const socket = await open(t, client);
        const length = begin.length + 10 * part.length;
        const parts = [toHead(client, `Content-Length: ${length}`) + begin, ...Array<string>(10).fill(part)];
        const answer = await sendThenRead(socket, parts);
        assert.match(answer, /^HTTP\/1\.1 422 .*\r\nconnection: close\r\n.*validation_failed/is, `attempt ${attempt}`);
      }
    });
  }

  test('gets its 503 before it sends the body, when bodies of its account take all of the memory', async (t) => {
    const { client } = await openService(t, 'sqlite');
    const head = toHead(client, `Content-Length: ${11 * MEGABYTE}`);
    const answers: string[] = [];
    for (let upload = 0; upload < 6; upload++) {
      const socket = await open(t, client);
      socket.on('data', (bytes: Buffer) => answers.push(bytes.toString().slice(0, 12)));
      socket.write(`${head}{`);
      // Sent in order; the answers of the fifth and sixth come although nobody sends more.
      await sleep(20);
    }
    while (answers.length < 2) await sleep(10);
    await sleep(100);
    assert.deepEqual(answers, ['HTTP/1.1 503', 'HTTP/1.1 503']);
  });

  test('is cut off when it sends without end, and no request behind its body is carried out', async (t) => {
    const { client } = await openService(t, 'sqlite', { settings: { bodyLimitBytes: MEGABYTE } });
    const socket = await open(t, client);
    let seen = '';
    socket.on('data', (bytes: Buffer) => {
      seen += bytes.toString();
    });
    socket.write(toHead(client, 'Transfer-Encoding: chunked'));
    const body = '{"url":"https://shop.example/behind"}';
    const began = performance.now();
    let sent = 0;
    for (; !socket.destroyed && sent < 4 * LINGER.bytes; sent += MEGABYTE) {
      if (seen !== '' && sent % (4 * MEGABYTE) === 0) {
        socket.write(`0\r\n\r\n${toHead(client, `Content-Length: ${body.length}`)}${body}`);
      }
      if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
    }
    if (!socket.destroyed) await once(socket, 'close');
    assert.match(seen, /^HTTP\/1\.1 413 /);
    assert.equal(seen.match(/HTTP\/1\.1 /g)?.length, 1);
    assert.ok(sent <= LINGER.bytes + 16 * MEGABYTE, `${sent / MEGABYTE} MB were taken`);
    assert.ok(performance.now() - began < LINGER.ms + 3_000);
    assert.equal(await client.balance(), 1000);
  });
});
