import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { testOnEach } from '../support/database.ts';
import { type Played, playSite, type SiteServer, serveSites } from './play.ts';
import { type PlayedDates, playDates } from './play-dates.ts';
import { isLater, merge, toVersion } from './version.ts';

/** Sites in one test; their seeds are those after its own. */
const SITES = 50;
const FIRST_SEEDS = Array.from({ length: 10 }, (_, n) => 1_000 + n * SITES);

let server: SiteServer;
before(async () => {
  server = await serveSites();
});
after(() => server[Symbol.asyncDispose]());

async function playInMemory(on: SiteServer, seed: number, options?: Parameters<typeof playSite>[3]): Promise<Played> {
  const db = openDatabase('sqlite::memory:', { synchronous: 'NORMAL' });
  try {
    return await playSite(on, db, seed, options);
  } finally {
    await db.close();
  }
}

describe('what is due and gone after visits to random sites is what the model says', () => {
  const sums = { runs: 0, incomplete: 0, stopped: 0, breaks: 0, bought: 0 };
  const add = (played: Played) => {
    for (const name of Object.keys(sums) as (keyof Played)[]) sums[name] += played[name];
  };

  for (const first of FIRST_SEEDS) {
    test(`sites ${first} to ${first + SITES - 1} (sqlite in memory)`, async () => {
      for (let seed = first; seed < first + SITES; seed += 1) {
        add(await playInMemory(server, seed));
      }
    });
  }

  test('sites whose answers stop in the middle, too', async () => {
    const played = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        await using own = await serveSites();
        return await playInMemory(own, 3_000 + n, { hasStalls: true });
      }),
    );
    for (const each of played) add(each);
  });

  // In 200,805 a body breaks off between two dates of one page.
  for (const seed of [2_001, 2_002, 2_003, 2_004, 2_005, 2_006, 2_007, 2_008, 2_009, 2_010, 200_805]) {
    testOnEach(`site ${seed}`, async (db) => add(await playSite(server, db, seed)));
  }

  test('and the sites have had all that can happen', () => {
    assert.ok(sums.runs >= 5_000, `${sums.runs} runs`);
    for (const [name, count] of Object.entries(sums)) assert.ok(count >= 500, `${count} ${name}`);
  });
});

describe('what is due after visits that date two pages in several files is what the model says', () => {
  test('whatever they show, in whichever order they are read (sqlite in memory)', async () => {
    const sums = { runs: 0, bought: 0, shared: 0 };
    for (let seed = 1; seed <= 200; seed += 1) {
      const db = openDatabase('sqlite::memory:', { synchronous: 'NORMAL' });
      try {
        const played = await playDates(db, seed);
        for (const name of Object.keys(sums) as (keyof PlayedDates)[]) sums[name] += played[name];
      } finally {
        await db.close();
      }
    }
    for (const [name, count] of Object.entries(sums)) assert.ok(count >= 300, `${count} ${name}`);
  });

  for (let seed = 1_001; seed <= 1_005; seed += 1)
    testOnEach(`history ${seed}`, async (db) => {
      assert.equal((await playDates(db, seed)).runs, 8);
    });
});

describe('the versions of the model', () => {
  const table: readonly (readonly [string, string, boolean, boolean])[] = [
    ['2024-01-05T10:00:00Z', '2024-01-05T13:00:00+03:00', false, false],
    ['2024-01-05T10:00:00Z', '2024-01-05T10:00:00.000Z', false, false],
    ['2024-01-05', '2024-01-06', false, true],
    ['2024-01-05', '2024-01-05T15:00:00Z', false, false],
    ['2024-01-05T10:00:00Z', '2024-01-06', false, false],
    ['2024-01-05T10:00:00Z', '2024-01-07', false, true],
    ['2024-01-05T22:30:00Z', '2024-01-06', false, false],
    ['2024-01-05T10:00Z', '2024-01-05T10:00:30Z', false, false],
    ['2024-01-05T10:00:30Z', '2024-01-05T10:00:30.5Z', false, false],
    ['2024-01-05T10:00:30.5Z', '2024-01-05T10:01Z', false, true],
    ['yesterday', '2024-01-05', false, false],
    ['2999-01-05', '2024-01-05', false, false],
    ['2024-01', '2024-02', false, true],
    ['2024-01', '2024-01-31', false, false],
    ['2024-01', '2024-02-02T10:00:00Z', false, true],
    ['2024', '2024-12', false, false],
    ['2024', '2025-02', false, true],
  ];
  for (const [a, b, first, second] of table) {
    test(`${a} and ${b}`, () => {
      const [left, right] = [toVersion(a), toVersion(b)];
      assert.deepEqual([isLater(left, right), isLater(right, left)], [first, second]);
    });
  }

  test('of two that are the same the finer is kept', () => {
    const [day, second] = [toVersion('2024-01-05'), toVersion('2024-01-05T10:00:00Z')];
    assert.deepEqual([merge(day, second), merge(second, day), merge(null, day)], [second, second, day]);
  });
});
