import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shopUrl } from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import { openSqlite } from '../../database/sqlite.ts';
import type { AccountId, RunId, WatchId } from '../../submission/ids.ts';
import { ledgerOver } from '../open-ledger.ts';
import { beginRun } from '../runs/runs.ts';
import type { ObservedEntry } from './found.ts';
import { observe } from './observe.ts';

const SITEMAP = 'https://shop.example/sitemap.xml';
const MANY = 50_000;
const KILOBYTES_100 = 'x'.repeat(100_000);

async function countWritten(batches: Iterable<readonly ObservedEntry[]>): Promise<number> {
  const ledger = await ledgerOver(openSqlite(':memory:'), Date.now);
  const run = 'run-1' as RunId;
  await beginRun(ledger, {
    watch: 'shop' as WatchId,
    account: 'main' as AccountId,
    run,
    sources: [SITEMAP],
    scope: '',
    firstRun: 'submit',
  });
  const observation = await observe(ledger, run);
  for (const batch of batches) await observation.entries(SITEMAP, batch);
  const { urls } = await ledger.db.one(sql<{ urls: number }>`SELECT count(*) AS urls FROM urls`);
  await ledger.close();
  return urls;
}

const page = (n: number, end: string): ObservedEntry => ({ url: shopUrl(`p/${n}${end}`), version: null });
const pages = (count: number, end: string) => Array.from({ length: count }, (_, n) => [page(n, end)]);

describe('what waits in memory for the end of a sitemap', () => {
  test(`is fewer than ${MANY} entries`, async () => {
    assert.equal(await countWritten(pages(MANY - 1, '')), 0);
    assert.equal(await countWritten(pages(MANY + 1, '')), MANY);
  });

  test('is no more than 8 MiB of texts, however few entries hold them', async () => {
    assert.equal(await countWritten(pages(80, KILOBYTES_100)), 0);
    assert.equal(await countWritten(pages(100, KILOBYTES_100)), 84);
  });
});
