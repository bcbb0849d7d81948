import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Listings } from './listings.ts';
import { toVersion } from './moments.ts';
import { SeenChange } from './seen-change.ts';
import { toXml } from './test-facts.ts';

const PAGE = 'https://www.shop.example/a';

/** A page in the sitemap of one watch, shown by one run after the other, and what was bought of it by any. */
function isSure(
  shown: readonly (string | null)[],
  bought: readonly string[],
  { since = 0, complete = true, other = null as string | null, knownAt = -1 as number | null } = {},
): boolean {
  const listings = new Listings();
  const deliver = (sitemap: string, lastmod: string | null, run: string) =>
    listings.deliver(sitemap, `/${sitemap}.xml`, toXml({ [PAGE]: lastmod }), {
      ...{ isWhole: true, at: 0, run, watch: sitemap },
    });
  for (const [n, lastmod] of shown.entries()) deliver('w0', lastmod, `run-${n}`);
  if (other !== null) deliver('w1', other, 'other');
  const changes = new SeenChange({
    ...{ listings, isComplete: () => complete, getSince: () => since, getKnownAt: () => knownAt },
    listBought: () => new Set(bought.map(toVersion)),
  });
  return changes.isSure(PAGE, 'w0');
}

describe('a change that a watch has surely seen', () => {
  test('is a later lastmod in it, later than what anybody has bought', () => {
    assert.equal(isSure(['2026-01-01', '2026-02-01'], ['2026-01-01']), true);
    assert.equal(isSure(['2026-01-01', '2026-02-01'], ['2026-01-01', '2026-02-01']), false, 'bought');
    assert.equal(isSure(['2026-01-01', '2026-02-01'], ['2026-03-01']), false, 'a later one is bought');
    assert.equal(isSure(['2026-02-01', '2026-01-01'], ['2025-01-01']), false, 'backdated');
  });

  test('is not the first one that it sees, nor the first date of a page, and is the one after', () => {
    assert.equal(isSure(['2026-02-01'], ['2026-01-01']), false);
    assert.equal(isSure([null, '2026-02-01'], ['2026-01-01']), false);
    assert.equal(isSure([null, '2026-02-01', '2026-03-01'], ['2026-01-01']), true);
  });

  test('needs a run that the ledger has, of the watch by its name of now', () => {
    const shown = ['2026-01-01', '2026-02-01'];
    assert.equal(isSure(shown, ['2026-01-01'], { complete: false }), false);
    assert.equal(isSure(shown, ['2026-01-01'], { since: 1 }), false);
  });

  test('needs one that it saw when the page was known as bought', () => {
    assert.equal(isSure(['2026-01-01', '2026-02-01'], ['2026-01-01'], { knownAt: 0 }), false);
    assert.equal(isSure(['2026-01-01', '2026-02-01'], ['2026-01-01'], { knownAt: null }), false);
  });

  test('of dates that are not equally exact is one that no zone explains', () => {
    const other = '2026-01-01T00:00:00Z';
    assert.equal(isSure(['2026-01-01', '2026-01-03'], ['2026-01-01'], { other }), false);
    assert.equal(isSure(['2026-01-01', '2026-01-05'], ['2026-01-01'], { other }), true);
    assert.equal(isSure(['2026-01-01', '2026-01-03'], ['2026-01-01'], { other: '2026-01-01' }), true);
  });

  test('is none where nobody has bought the page', () => {
    assert.equal(isSure(['2026-01-01', '2026-02-01'], []), false);
  });
});
