import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Reference } from '../src/submission/ids.ts';
import { type BoardSource, createStatusBoard, onSharedTick, type Seen } from './status-board.ts';

const ref = (n: number) => `R-${n}` as Reference;

/** A service with so many jobs, newest first, a hundred a page, that counts what it is asked. */
function service(jobs: number) {
  const requests: string[] = [];
  const source: BoardSource = {
    async one(reference) {
      requests.push(reference);
      return { reference, state: 'processing' };
    },
    async page(number) {
      requests.push(`page ${number}`);
      const from = jobs - (number - 1) * 100;
      const seen: Seen[] = [];
      for (let n = from; n > Math.max(from - 100, 0); n--) seen.push({ reference: ref(n), state: 'processing' });
      return { seen, last: from <= 100 };
    },
  };
  return { source, requests };
}

let time = 0;
const settings = {
  gatherMs: 1,
  keepMs: 1_000,
  now: () => time,
  sleep: () => new Promise<void>((done) => setImmediate(done)),
};

test('a hundred questions that meet are one request', async () => {
  const { source, requests } = service(100);
  const board = createStatusBoard(source, settings);
  const seen = await Promise.all(Array.from({ length: 100 }, (_, n) => board.look(ref(n + 1), 1_000)));
  assert.equal(seen.length, 100);
  assert.deepEqual(requests, ['page 1']);
});

test('one question asks for its job directly', async () => {
  const { source, requests } = service(500);
  assert.equal((await createStatusBoard(source, settings).look(ref(3), 0)).state, 'processing');
  assert.deepEqual(requests, ['R-3']);
});

test('jobs that no page shows are asked one by one, and none is forgotten', async () => {
  const { source, requests } = service(100);
  const board = createStatusBoard(source, settings);
  const seen = await Promise.all([1, 2, 900, 901].map((n) => board.look(ref(n), 1_000)));
  assert.deepEqual(
    seen.map(({ reference }) => reference),
    [ref(1), ref(2), ref(900), ref(901)],
  );
  assert.deepEqual(requests, ['page 1', 'R-900', 'R-901']);
});

test('what a page showed answers for a while without a request, then is asked anew', async () => {
  const { source, requests } = service(100);
  const board = createStatusBoard(source, settings);
  await Promise.all([1, 2, 3].map((n) => board.look(ref(n), 1_000)));
  await board.look(ref(50), 1_000);
  assert.equal(requests.length, 1);
  time += 1_001;
  await board.look(ref(50), 1_000);
  assert.equal(requests.length, 2);
});

test('a request that fails rejects every question that needed it, and the next round asks again', async () => {
  let fails = true;
  const { source } = service(10);
  const page = source.page;
  const board = createStatusBoard(
    { ...source, page: async (number) => (fails ? Promise.reject(new Error('no budget')) : page(number)) },
    { ...settings, keepMs: -1 },
  );
  const all = await Promise.allSettled([1, 2, 3].map((n) => board.look(ref(n), 1_000)));
  assert.ok(all.every(({ status }) => status === 'rejected'));
  fails = false;
  assert.equal((await board.look(ref(1), 1_000)).state, 'processing');
});

test('a shared tick is never earlier, and later by a quarter at most', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 4, max: 3_600_000 }), (now, wait) => {
      const moved = onSharedTick(now, wait);
      assert.ok(moved >= wait && moved <= wait * 1.25 + 1, `${wait} → ${moved}`);
    }),
  );
  assert.equal(onSharedTick(1_000_000, 60_000) + 1_000_000, onSharedTick(1_003_000, 60_000) + 1_003_000);
});
