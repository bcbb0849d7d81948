import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { courier, folderFor, ofType, printCourier } from '../../../test/support/cli.ts';
import { ACCOUNT, crawled, sendAll, WATCH } from '../../../test/support/ledger.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { planRun } from '../../ledger/plans/make-plan.ts';
import { endRun } from '../../ledger/runs/runs.ts';
import type { RunId } from '../../submission/ids.ts';

const folderOf = (t: TestContext): string =>
  folderFor(
    t,
    () => `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { env: COURIER_API_KEY }, price_per_url: 0.25 TRY }
watches:
  shop: { account: main, sitemaps: ["https://shop.example/sitemap.xml"], exclude: ["/drafts/**"] }
ledger: { url: "sqlite:ledger.db" }
`,
  );

describe('courier why', () => {
  test('explains a URL that was bought, one that is excluded and one that was never seen', async (t) => {
    const folder = folderOf(t);
    const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    await crawled(ledger, 'first', { 'https://shop.example/sitemap.xml': ['a/'] });
    await planRun(ledger, 'first' as RunId, { account: ACCOUNT, watch: WATCH });
    const [reference] = await sendAll(ledger);
    await endRun(ledger, 'first' as RunId, 'finished');
    await ledger.close();

    const text = await printCourier(folder, 'why', 'https://shop.example/a/');
    assert.match(text, new RegExp(`^https://shop\\.example/a/\nshop: bought in job ${reference}; `));
    assert.match(text, /\n {2}scope {3}in: host shop\.example\n/);
    assert.match(text, /\n {2}seen {4}first on .* UTC in https:\/\/shop\.example\/sitemap\.xml; the sitemap was read/);
    assert.match(text, new RegExp(`\n {2}bought {2}job ${reference} \\(batch 1\\), accepted, .* UTC, 0\\.25 TRY\n`));

    const known = await courier(folder, 'why', 'https://shop.example/a/');
    assert.deepEqual([known.code, ofType(known, 'url_explanation')[0]?.standing], [0, 'submitted']);
    const draft = await courier(folder, 'why', 'https://shop.example/drafts/1');
    assert.equal(ofType(draft, 'url_explanation')[0]?.scope_rule, 'exclude /drafts/**');
    const other = await courier(folder, 'why', 'https://shop.example/a');
    assert.deepEqual(ofType(other, 'similar_url'), [
      { type: 'similar_url', url: 'https://shop.example/a/', watch: 'shop', state: 'submitted' },
    ]);
    assert.equal(other.records.at(-1)?.seen, 0);
  });
});
