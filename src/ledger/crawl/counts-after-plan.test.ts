import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { completeRun, crawled, testLedger } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { endRun } from '../runs/runs.ts';

const SITEMAP = 'https://shop.example/sitemap.xml';
type Page = string | readonly [string, string];

describe('the counts of a run', () => {
  testLedger('are those of the plan that was made before it', async (ledger) => {
    await completeRun(ledger, 'first', { [SITEMAP]: [['a', '2026-01-01'], 'b', 'c'] });
    const pages: readonly Page[] = [['a', '2026-01-02'], 'b', 'd', 'e'];
    const planned = await crawled(ledger, 'plan', { [SITEMAP]: pages });
    await endRun(ledger, 'plan' as RunId, 'previewed');
    const run = await crawled(ledger, 'run', { [SITEMAP]: pages });
    assert.deepEqual(run, planned);
    assert.deepEqual([run.found, run.new, run.changed, run.known, run.gone], [4, 2, 1, 1, 1]);
  });

  testLedger('are without pages that only the plan has seen', async (ledger) => {
    await crawled(ledger, 'plan', { [SITEMAP]: ['a', 'b', 'draft'] });
    await endRun(ledger, 'plan' as RunId, 'previewed');
    const first = await crawled(ledger, 'first', { [SITEMAP]: ['a', 'b'] });
    assert.deepEqual([first.found, first.new, first.known, first.gone], [2, 2, 0, 0]);
    await endRun(ledger, 'first' as RunId, 'finished');
    await crawled(ledger, 'second plan', { [SITEMAP]: ['a', 'c', 'other draft'] });
    await endRun(ledger, 'second plan' as RunId, 'previewed');
    const second = await crawled(ledger, 'second', { [SITEMAP]: ['a', 'c'] });
    assert.deepEqual([second.found, second.new, second.known, second.gone], [2, 1, 1, 1]);
  });
});
