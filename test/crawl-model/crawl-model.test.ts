import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { testOnEach } from '../support/database.ts';
import { type Played, playSite, type SiteServer, serveSites } from './play.ts';
import type { Dates } from './site.ts';
import { isLater, merge, toVersion } from './version.ts';

/** Sites in one test; their seeds are those after its own. */
const SITES = 10;
/** 'any' once the ledger compares versions by their spans. */
const DATES: Dates = 'one';

let server: SiteServer;
before(async () => {
  server = await serveSites();
});
after(() => server[Symbol.asyncDispose]());

describe('what is due and gone after visits to random sites is what the model says', () => {
  const sums = { runs: 0, incomplete: 0, stopped: 0, breaks: 0, bought: 0 };
  const add = (played: Played) => {
    for (const name of Object.keys(sums) as (keyof Played)[]) sums[name] += played[name];
  };

  for (const first of [1_000, 1_010, 1_020, 1_030]) {
    test(`sites ${first} to ${first + SITES - 1} (sqlite in memory)`, async () => {
      for (let seed = first; seed < first + SITES; seed += 1) {
        const db = openDatabase('sqlite::memory:', { synchronous: 'NORMAL' });
        try {
          add(await playSite(server, db, seed, DATES));
        } finally {
          await db.close();
        }
      }
    });
  }

  for (const seed of [2_001, 2_002, 2_003]) {
    testOnEach(`site ${seed}`, async (db) => add(await playSite(server, db, seed, DATES)));
  }

  test('and the sites have had all that can happen', () => {
    assert.ok(sums.runs >= 400, `${sums.runs} runs`);
    for (const [name, count] of Object.entries(sums)) assert.ok(count >= 20, `${count} ${name}`);
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
