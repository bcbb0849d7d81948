import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyDatabaseUrl } from '../../test/support/database.ts';
import type { Reference } from '../submission/ids.ts';
import type { JobStatusCache, ReportedStatus } from './job-status-cache.ts';
import { createJobStatusLoader, type JobStatusSource } from './job-status-loader.ts';
import { openRateLimits } from './limiter.ts';

const ref = (n: number) => `R-${n}` as Reference;
const START = 1_800_000_000_000;

/**
 * A service with jobs 1 to `jobs`, newest first, that records its requests. `others`: newer jobs submitted by others.
 * Its list has `length` jobs per page and omits `hidden`.
 */
function service({
  jobs,
  others = 0,
  length = 100,
  hidden = [] as readonly number[],
}: {
  jobs: number;
  others?: number;
  length?: number;
  hidden?: readonly number[];
}) {
  const requests: string[] = [];
  const listed: ReportedStatus[] = [
    ...Array.from({ length: others }, (_, n) => ({
      reference: `S-${n}` as Reference,
      state: 'queued',
      allCompleted: null,
    })),
    ...Array.from({ length: jobs }, (_, n) => ({
      reference: ref(jobs - n),
      state: 'processing',
      allCompleted: null,
    })).filter(({ reference }) => !hidden.some((n) => ref(n) === reference)),
  ];
  const source: JobStatusSource = {
    async one(reference) {
      requests.push(reference);
      return { reference, state: 'processing', allCompleted: null };
    },
    async page(number) {
      requests.push(`page ${number}`);
      const seen = listed.slice((number - 1) * length, number * length);
      return { seen, length: listed.length > number * length ? seen.length : 0 };
    },
    positions: async (references) => ({
      newer: new Map(references.map((reference) => [reference, jobs - Number(reference.slice(2))] as const)),
      several: jobs > 1,
    }),
  };
  return { source, requests };
}

/** Loaders of several processes that share one clock and one cache. */
async function processes(t: { after(end: () => unknown): void }, source: JobStatusSource, count = 1) {
  const clock = { at: START };
  const url = emptyDatabaseUrl(t as Parameters<typeof emptyDatabaseUrl>[0], 'sqlite');
  const loaders = [];
  for (let n = 0; n < count; n++) {
    const store = await openRateLimits(url, { now: () => clock.at });
    t.after(() => store.close());
    const statusCache: JobStatusCache = store.getJobStatusCache('main');
    loaders.push(
      createJobStatusLoader(source, statusCache, {
        gatherMs: 1,
        pageLength: 100,
        now: () => clock.at,
        sleep: () => new Promise<void>((done) => setImmediate(done)),
      }),
    );
  }
  return { loaders, loader: loaders[0]!, clock };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

describe('createJobStatusLoader', () => {
  test('a hundred concurrent loads need one request', async (t) => {
    const { source, requests } = service({ jobs: 100 });
    const { loader } = await processes(t, source);
    const seen = await Promise.all(range(1, 100).map((n) => loader.load(ref(n), START)));
    assert.equal(seen.length, 100);
    assert.deepEqual(requests, ['page 1']);
  });

  test('a hundred concurrent loads in three processes need one request', async (t) => {
    const { source, requests } = service({ jobs: 100 });
    const { loaders } = await processes(t, source, 3);
    const seen = await Promise.all(range(1, 100).map((n) => loaders[n % 3]!.load(ref(n), START)));
    assert.deepEqual(
      seen.map(({ reference }) => reference),
      range(1, 100).map(ref),
    );
    assert.deepEqual(requests, ['page 1']);
  });

  test('loads the only job directly', async (t) => {
    const { source, requests } = service({ jobs: 1 });
    const { loader } = await processes(t, source);
    assert.equal((await loader.load(ref(1), START)).state, 'processing');
    assert.deepEqual(requests, ['R-1']);
  });

  test('loads a page for one job among many, which serves later loads too', async (t) => {
    const { source, requests } = service({ jobs: 100 });
    const { loader, clock } = await processes(t, source);
    await loader.load(ref(3), START);
    clock.at += 2_000;
    await Promise.all([1, 2, 4, 99].map((n) => loader.load(ref(n), START)));
    assert.deepEqual(requests, ['page 1']);
  });

  test('stops requesting pages for single jobs once a page shows none of ours', async (t) => {
    const { source, requests } = service({ jobs: 10, others: 200 });
    const { loader, clock } = await processes(t, source);
    await loader.load(ref(3), START);
    clock.at += 1;
    await loader.load(ref(3), clock.at);
    assert.deepEqual(requests, ['page 1', 'R-3', 'R-3']);
  });

  test('loads old jobs from their page, not from the first', async (t) => {
    const { source, requests } = service({ jobs: 5_000 });
    const { loader } = await processes(t, source);
    await Promise.all([11, 50, 99, 1_450, 1_500, 4_999].map((n) => loader.load(ref(n), START)));
    assert.deepEqual(requests, ['page 1', 'page 36', 'page 50']);
  });

  test('finds jobs that external submissions pushed back by a page', async (t) => {
    const { source, requests } = service({ jobs: 100, others: 60 });
    const { loader } = await processes(t, source);
    await Promise.all([1, 2, 99, 100].map((n) => loader.load(ref(n), START)));
    assert.deepEqual(requests, ['page 1', 'page 2']);
  });

  test('loads jobs that no page shows one by one, without dropping any', async (t) => {
    const { source, requests } = service({ jobs: 100, hidden: [7, 8] });
    const { loader } = await processes(t, source);
    const seen = await Promise.all([1, 7, 8].map((n) => loader.load(ref(n), START)));
    assert.deepEqual(
      seen.map(({ reference }) => reference),
      [ref(1), ref(7), ref(8)],
    );
    assert.deepEqual(requests, ['page 1', 'R-7', 'R-8']);
  });

  test('adapts to a service with shorter pages', async (t) => {
    const { source, requests } = service({ jobs: 200, length: 20 });
    const { loader, clock } = await processes(t, source);
    await Promise.all([101, 102, 199, 200].map((n) => loader.load(ref(n), START)));
    assert.deepEqual(requests.splice(0), ['page 1', 'page 5']);
    clock.at += 10;
    await Promise.all([41, 42].map((n) => loader.load(ref(n), clock.at)));
    assert.deepEqual(requests, ['page 8']);
  });

  test('requests a list without states only once', async (t) => {
    const { source, requests } = service({ jobs: 100 });
    let pages = 0;
    const { loader, clock } = await processes(t, {
      ...source,
      page: async () => {
        pages += 1;
        return null;
      },
    });
    await Promise.all([1, 2].map((n) => loader.load(ref(n), START)));
    clock.at += 10;
    await Promise.all([1, 2].map((n) => loader.load(ref(n), clock.at)));
    assert.equal(pages, 1);
    assert.deepEqual(requests, ['R-1', 'R-2', 'R-2', 'R-1']);
  });

  test('a status serves all processes until it is too old, then it is requested again', async (t) => {
    const { source, requests } = service({ jobs: 100 });
    const { loaders, clock } = await processes(t, source, 2);
    await Promise.all([1, 2, 3].map((n) => loaders[0]!.load(ref(n), START)));
    clock.at += 5_000;
    await loaders[1]!.load(ref(50), START);
    assert.equal(requests.length, 1);
    await loaders[1]!.load(ref(50), START + 1);
    assert.equal(requests.length, 2);
  });

  test('a failed request rejects every load that needed it, and the next round retries', async (t) => {
    let fails = true;
    const { source } = service({ jobs: 10 });
    const page = source.page;
    const { loader } = await processes(t, {
      ...source,
      page: async (number) => (fails ? Promise.reject(new Error('no budget')) : page(number)),
    });
    const all = await Promise.allSettled([1, 2, 3].map((n) => loader.load(ref(n), START)));
    assert.ok(all.every(({ status }) => status === 'rejected'));
    fails = false;
    assert.equal((await loader.load(ref(1), START)).state, 'processing');
  });

  test('a clock set back during a request leaves no load pending', async (t) => {
    const { source } = service({ jobs: 10 });
    const { loader, clock } = await processes(t, source);
    clock.at -= 60_000;
    const seen = await Promise.all([1, 2].map((n) => loader.load(ref(n), START)));
    assert.equal(seen.length, 2);
  });
});
