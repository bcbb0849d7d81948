import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readPages } from './find-batch-in-doubt.ts';
import type { Page } from './read/list.ts';

interface Shown {
  readonly jobs: readonly string[];
  readonly page: Page;
}

/** Reads the pages that a service shows, at most as many as there are. Returns the jobs, and how many pages were asked for. */
async function read(pages: readonly (readonly [jobs: string, page: Partial<Page>])[]) {
  let asked = 0;
  const shown = readPages<Shown>(
    async (number) => {
      asked = number;
      const [jobs, page] = pages[number - 1] ?? ['', { last: true }];
      return { jobs: [...jobs], page: { last: false, stated: true, total: null, count: jobs.length, ...page } };
    },
    ({ jobs }) => jobs.join(),
  );
  const found: string[] = [];
  for await (const { jobs } of shown) found.push(...jobs);
  return { found: found.join(''), asked };
}

describe('reading the pages of a list', () => {
  test('a total without a page size does not end a list whose pages are shorter than requested', async () => {
    const last = { last: true, total: 5 };
    assert.deepEqual(
      await read([
        ['ab', last],
        ['cd', last],
        ['e', last],
      ]),
      { found: 'abcde', asked: 3 },
    );
  });

  test('a total that is never reached ends with an empty page', async () => {
    assert.deepEqual(await read([['ab', { last: true, total: 9 }]]), { found: 'ab', asked: 2 });
  });

  test('an empty page does not end a list that states more pages', async () => {
    assert.deepEqual(
      await read([
        ['ab', {}],
        ['', {}],
        ['c', { last: true }],
      ]),
      { found: 'abc', asked: 3 },
    );
  });

  test('a page that new jobs have repeated does not end a list that states more pages', async () => {
    assert.deepEqual(
      await read([
        ['a', {}],
        ['a', {}],
        ['b', { last: true }],
      ]),
      { found: 'ab', asked: 3 },
    );
  });

  test('without page information, an empty or repeated page is the last', async () => {
    const unstated = { stated: false };
    assert.deepEqual(
      await read([
        ['ab', unstated],
        ['ab', unstated],
        ['c', unstated],
      ]),
      { found: 'ab', asked: 2 },
    );
    assert.deepEqual(
      await read([
        ['ab', unstated],
        ['', unstated],
        ['c', unstated],
      ]),
      { found: 'ab', asked: 2 },
    );
  });

  test('a service that states more pages and repeats one, or shows empty ones, is not asked endlessly', async () => {
    const endless = (jobs: string) => Array.from({ length: 1_000 }, () => [jobs, {}] as const);
    assert.deepEqual(await read(endless('ab')), { found: 'ab', asked: 4 });
    assert.deepEqual(await read(endless('')), { found: '', asked: 100 });
  });
});
