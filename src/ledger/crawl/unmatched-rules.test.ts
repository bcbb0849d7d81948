import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, shopUrl, type TestLedger, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import type { ScopeRule } from '../../url/scope.ts';
import { getRunSummary } from '../reports/run-summary.ts';
import { beginRun, endRun } from '../runs/runs.ts';
import { observe } from './observe.ts';
import { recordUnmatchedRules } from './unmatched-rules.ts';

const RULES: readonly ScopeRule[] = ['host shop.example', 'exclude /drafts/**', 'exclude /old/**'];

/** A run over sitemaps that are read to their end, each with the rules that matched in it; null: not modified. */
async function run(ledger: TestLedger, name: string, sitemaps: Readonly<Record<string, ScopeRule[] | null>>) {
  const id = name as RunId;
  const start = { watch: WATCH.id, account: ACCOUNT.id, run: id, sources: [], scope: 's', firstRun: 'submit' as const };
  await beginRun(ledger, start);
  const observation = await observe(ledger, id);
  for (const [sitemap, matched] of Object.entries(sitemaps)) {
    const known = { kind: 'urlset', urls: 1, fingerprint: sitemap, bytes: 1, tookMs: 1 } as const;
    if (matched !== null) await observation.entries(sitemap, [{ url: shopUrl(sitemap), version: null }]);
    await observation.verdict(
      sitemap,
      { verdict: matched === null ? 'not-modified' : 'complete', ...known },
      matched ?? [],
    );
  }
  const unmatched = await recordUnmatchedRules(ledger, id, RULES);
  await endRun(ledger, id, 'finished');
  assert.deepEqual((await getRunSummary(ledger, id)).unmatchedRules, unmatched, 'status reads what the run reported');
  return unmatched;
}

describe('recordUnmatchedRules', () => {
  testLedger('names the rules that match in none of the sitemaps', async (ledger) => {
    const unmatched = await run(ledger, 'r1', { a: ['host shop.example'], b: ['exclude /drafts/**'] });
    assert.deepEqual(unmatched, ['exclude /old/**']);
  });

  testLedger('a sitemap that did not change counts as when it was last read', async (ledger) => {
    await run(ledger, 'r1', { a: ['host shop.example', 'exclude /drafts/**'], b: ['exclude /old/**'] });
    assert.deepEqual(await run(ledger, 'r2', { a: null, b: null }), []);
    assert.deepEqual(await run(ledger, 'r3', { a: null, b: [] }), ['exclude /old/**'], 'b has changed');
  });

  testLedger('names none where the sitemaps list no URL', async (ledger) => {
    assert.deepEqual(await run(ledger, 'r1', {}), []);
  });
});
