import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { courier, ended, ofType, startCourier } from '../../../test/support/cli.ts';
import { openService } from '../../../test/support/service.ts';
import { openShopFolder } from '../../../test/support/shop-folder.ts';

const pages = (count: number) => Array.from({ length: count }, (_, n) => `https://shop.example/page-${n}\n`).join('');
const OLD = pages(600);
const NEW = pages(601);
/** Comments, which a reader of lines leaves out: what no buffer between two processes can hold. */
const FILLER = Buffer.from(`# ${'x'.repeat(65_000)}\n`);
const MORE_THAN_BUFFERS = 24 * 1024 * 1024;

/** Serves lines of text that only the end of the connection delimits; `onRead` when the client has read half of them. */
async function serveLines(t: TestContext) {
  const served = { body: OLD, etag: '"v1"', onRead: undefined as (() => void) | undefined, requests: [] as string[] };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', (head) => {
      const { body, etag, onRead } = served;
      const validator = /^if-none-match: (.*)\r$/im.exec(head.toString('latin1'))?.[1] ?? '';
      served.requests.push(validator);
      if (validator === etag) socket.end('HTTP/1.0 304 Not Modified\r\n\r\n');
      else if (onRead === undefined) socket.end(`HTTP/1.0 200 OK\r\nETag: ${etag}\r\n\r\n${body}`);
      else {
        socket.write(`HTTP/1.0 200 OK\r\nETag: ${etag}\r\n\r\n${pages(300)}`);
        const fill = () => {
          while (socket.bytesWritten - socket.writableLength < MORE_THAN_BUFFERS) {
            if (!socket.write(FILLER)) return;
          }
          socket.off('drain', fill);
          onRead();
        };
        socket.on('drain', fill);
        fill();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { served, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sitemap.txt` };
}

async function openScene(t: TestContext) {
  const { service } = await openService(t, 'sqlite');
  const folder = await openShopFolder(t, service, '', {
    watch: 'allow_private_hosts: [127.0.0.1]',
    firstRun: 'baseline',
  });
  const { served, url } = await serveLines(t);
  const file = join(folder, 'courier.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('[sitemap.xml]', `["${url}"]`));
  return { folder, served, url };
}

describe('a signal while lines of text come that only the end of the connection delimits', () => {
  for (const [signal, code, ...command] of [
    ['SIGINT', 130, 'plan'],
    ['SIGTERM', 143, 'plan'],
    ['SIGINT', 130, 'run', '--once'],
    ['SIGTERM', 143, 'run', '--once'],
  ] as const) {
    test(`${signal} to courier ${command.join(' ')} makes no page gone and hides none from the next visit`, async (t) => {
      const { folder, served } = await openScene(t);
      const first = await courier(folder, 'run', '--once');
      assert.equal(first.code, 0, first.stderr);

      const child = startCourier(folder, ...command);
      t.after(() => child.kill('SIGKILL'));
      Object.assign(served, { body: NEW, etag: '"v2"', onRead: () => child.kill(signal) });
      const stopped = await ended(child);
      assert.equal(stopped.code, code, stopped.stderr);

      served.onRead = undefined;
      const [plan] = ofType(await courier(folder, 'plan'), 'plan');
      assert.deepEqual(
        [plan?.found, plan?.new, plan?.known, plan?.gone, plan?.complete],
        [601, 1, 600, 0, true],
        JSON.stringify(served.requests),
      );
      assert.match(
        String(plan?.notices),
        /sitemap\.txt: only the end of the connection shows.*Content-Length, or chunks\./,
      );
    });
  }

  test('Ctrl-C of courier crawl --state keeps nothing of it', async (t) => {
    const { folder, served, url } = await openScene(t);
    const args = ['crawl', '--allow-private-hosts', '--state', 'state', url];
    const child = startCourier(folder, ...args);
    t.after(() => child.kill('SIGKILL'));
    served.onRead = () => child.kill('SIGINT');
    const stopped = await ended(child);
    assert.deepEqual([stopped.code, stopped.records.at(-1)?.complete], [130, false], stopped.stderr);
    served.onRead = undefined;
    const whole = await courier(folder, ...args);
    assert.deepEqual([whole.code, whole.records.at(-1)?.urls, served.requests.includes('"v1"')], [0, 600, false]);
  });

  test('--timeout leaves the crawl incomplete', async (t) => {
    const { folder, served, url } = await openScene(t);
    served.onRead = () => undefined;
    const { code, records } = await courier(folder, 'crawl', '--allow-private-hosts', '--timeout', '3', url);
    const problems = records.at(-1)?.problems as { code: string }[];
    assert.deepEqual([code, problems.map((problem) => problem.code)], [3, ['TIMEOUT']]);
  });
});
