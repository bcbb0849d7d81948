import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Watch } from '../config/config.ts';
import { findNextCheck } from './next-check.ts';

const AT = Date.UTC(2026, 0, 31);
const URL = { url: 'https://shop.example/a', gone: false, nextCheckAt: AT };
const checked = (sample: number) => ({ indexCheck: { sample } as Watch['indexCheck'] });

describe('the next index check of a URL', () => {
  const cases = [
    ['its time, within the sample', checked(1), URL, AT, null],
    ['none outside the sample', checked(0), URL, null, /not in the sample of index_check/],
    ['none without index_check', { indexCheck: null }, URL, null, /no index_check/],
    ['none for a removed watch', undefined, URL, null, /not in the configuration any more/],
    ['none for a URL that is gone', checked(1), { ...URL, gone: true }, null, /no sitemap any more/],
    ['none where the ledger has no time', checked(1), { ...URL, nextCheckAt: null }, null, null],
  ] as const;
  for (const [label, watch, url, at, why] of cases) {
    test(`is ${label}`, () => {
      const next = findNextCheck(watch, url);
      assert.equal(next.at, at);
      if (why === null) assert.equal(next.why, null);
      else assert.match(next.why ?? '', why);
    });
  }
});
