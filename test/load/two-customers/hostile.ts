import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOSTILE_ACTS, type HostileAct } from './acts.ts';

// A hostile customer in a process of its own, which gives way to the measured ones. Does what its parent names until the
// next order.
const [baseUrl = '', ...keys] = process.argv.slice(2);
const MEGABYTE = 1024 * 1024;
const LARGE = 11 * MEGABYTE;
/** What one key may send: 120 requests a minute. */
const REQUEST_EVERY_MS = 500;
/** What 20 keys may send of submissions: 10 a minute each. */
const SUBMISSION_EVERY_MS = 300;

setPriority(10);
const { hostname, port } = new URL(baseUrl);
let order = 0;
const open = new Set<Socket>();
const isCurrent = (mine: number): boolean => mine === order;

function request(method: string, path: string, key: string, init: RequestInit = {}): Promise<void> {
  return fetch(baseUrl + path, { method, ...init, headers: { 'x-api-key': key, ...init.headers } }).then(
    async (response) => void (await response.arrayBuffer()),
    () => sleep(20),
  );
}

let posts = 0;
const post = (key: string, body: string): Promise<void> =>
  request('POST', '/submissions', key, {
    body,
    headers: { 'content-type': 'application/json', 'idempotency-key': `hostile-${process.pid}-${++posts}` },
  });

async function onConnections(count: number, mine: number, work: (index: number) => Promise<void>): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      while (isCurrent(mine)) await work(index);
    }),
  );
}

/** A connection with the head of a request, whose body is up to the caller. */
function openUpload(key: string, length: number): Socket {
  const socket = connect(Number(port), hostname);
  open.add(socket);
  socket.on('error', () => undefined).on('close', () => open.delete(socket));
  socket.write(
    `POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n` +
      `Idempotency-Key: hostile-upload\r\nContent-Length: ${length}\r\n\r\n{"urls":["`,
  );
  return socket;
}

const keyAt = (index: number): string => keys[index % keys.length] ?? '';
const nested = `{"urls":${'['.repeat(LARGE / 2)}${']'.repeat(LARGE / 2)}}`;
const item = `https://shop.example/${'x'.repeat(2_000)}`;
const invalid = JSON.stringify({ urls: [...Array.from({ length: 4_999 }, (_, index) => item + index), 'invalid'] });

const ACTS: Record<HostileAct, (mine: number) => Promise<void>> = {
  'over its limit': (mine) => onConnections(40, mine, () => request('GET', '/balance', keyAt(0))),
  'deep JSON': (mine) =>
    onConnections(1, mine, async () => {
      await Promise.all([post(keyAt(1), nested), sleep(SUBMISSION_EVERY_MS)]);
    }),
  'slow uploads': async (mine) => {
    const sockets = Array.from({ length: 100 }, (_, index) => openUpload(keyAt(1 + index), LARGE));
    while (isCurrent(mine)) {
      for (const socket of sockets) if (socket.writable) socket.write('x'.repeat(256));
      await sleep(250);
    }
  },
  '60 half bodies': async (mine) => {
    const half = Buffer.alloc(LARGE / 2, 'https://shop.example/","');
    for (let index = 0; index < 60 && isCurrent(mine); index++) {
      openUpload(keyAt(1 + (index % 6)), LARGE).write(half);
      await sleep(50);
    }
    while (isCurrent(mine)) await sleep(100);
  },
  'locked rows': (mine) => onConnections(20, mine, (index) => post(keyAt(1 + index), '{"url":"https://a.example/"}')),
  'large invalid bodies': (mine) =>
    onConnections(1, mine, async () => {
      await Promise.all([post(keyAt(1), invalid), sleep(SUBMISSION_EVERY_MS)]);
    }),
  'url filter': (mine) =>
    onConnections(4, mine, async (index) => {
      const url = encodeURIComponent(`https://shop.example/products/1/${index}`);
      await Promise.all([request('GET', `/submissions?url=${url}`, keyAt(1)), sleep(4 * REQUEST_EVERY_MS)]);
    }),
};

process.on('message', (acts: HostileAct[]) => {
  const mine = ++order;
  for (const socket of open) socket.destroy();
  for (const act of HOSTILE_ACTS) if (acts.includes(act)) void ACTS[act](mine);
  process.send?.('ordered');
});
process.on('disconnect', () => process.exit());
