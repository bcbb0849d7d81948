import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { completeRun, crawled, testLedger } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { listFinishedSitemaps } from './sitemaps.ts';

describe('the sitemaps that a run need not read again', () => {
  testLedger('are those that it read to the end or that had not changed, and no others', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1'], b: ['2'], c: ['3'] });
    await crawled(ledger, 'r2', { a: ['1', '4'], b: 'not-modified', c: 'broken', d: { cut: ['5'] } });
    const list = async (run: string) => [...(await listFinishedSitemaps(ledger, run as RunId)).keys()].toSorted();
    assert.deepEqual(await list('r2'), ['a', 'b']);
    assert.deepEqual(await list('r1'), ['a', 'b', 'c']);
  });
});
