import assert from 'node:assert/strict';
import { test } from 'node:test';
import { micros, ZERO } from '../../../contract/money.ts';
import { readConfig } from '../../config/load.ts';
import type { WatchId } from '../../submission/ids.ts';
import type { WatchResult } from '../../temporal-api/workflows.ts';
import { listNotices } from './notices.ts';

const config = readConfig(
  `version: 1
accounts: { main: { base_url: "https://x.example/api/v1", api_key: { env: X } } }
watches: { shop: { account: main, sitemaps: ["https://shop.example/sitemap.xml"] } }`,
  'courier.yaml',
);
const watch = config.watches.get('shop' as WatchId)!;

const good: WatchResult = {
  crawl: { urls: 10, sitemaps: 1, complete: true, problems: [] },
  counts: { found: 10, new: 10, changed: 0, known: 0, gone: 0, skipped: 0, complete: true, firstRun: true },
  plan: { batches: 1, urls: 10, cost: micros(2_500_000), basis: 'learned', held: 0, heldReason: null },
  report: {
    batches: 1,
    submitted: 10,
    completed: 10,
    failed: 0,
    open: 0,
    quarantined: 0,
    stopped: 0,
    charged: ZERO,
    unknownChargeUrls: 0,
  },
  decision: 'none needed',
};

test('a run in which all went well says nothing and ends with 0', () => {
  assert.deepEqual(listNotices(watch, good, null), { sentences: [], exitCode: 0 });
});

test('a sitemap wholly out of scope is named with what was found, costs nothing and ends with 3', () => {
  const counts = { ...good.counts, found: 0, new: 0, skipped: 7 };
  const { sentences, exitCode } = listNotices(watch, { ...good, counts, plan: null, report: null }, null);
  assert.equal(exitCode, 3);
  assert.match(
    sentences.join(),
    /shop\.example\/sitemap\.xml.*all 7 URLs are out of scope.*Nothing was submitted or charged.*"hosts"/,
  );
});

test('a cap ends with 7, a rejection with 8, failures with 3, and a person comes before money', () => {
  const held = { ...good, plan: { ...good.plan!, held: 4, heldReason: 'over 250 TRY a run' } };
  assert.equal(listNotices(watch, held, null).exitCode, 7);
  assert.match(listNotices(watch, held, null).sentences[0]!, /4 URLs are held: over 250 TRY a run/);
  assert.equal(listNotices(watch, { ...held, decision: 'rejected' }, null).exitCode, 8);
  assert.equal(listNotices(watch, { ...good, report: { ...good.report!, failed: 1 } }, null).exitCode, 3);
});
