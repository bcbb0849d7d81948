import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countTurns } from '../../../test/support/cpu-time.ts';
import { crawled, shopUrl } from '../../../test/support/ledger.ts';
import { openSqlite } from '../../database/sqlite.ts';
import type { RunId } from '../../submission/ids.ts';
import { type Ledger, ledgerOver } from '../open-ledger.ts';
import { beginRun, endRun } from '../runs/runs.ts';
import { observe } from './observe.ts';

const URLS = 20_000;
/** Rows that one turn may write: a few milliseconds of work. */
const MOST_A_TURN = 2_000;
const RUN = 'run-1' as RunId;
const SITEMAP = 'https://shop.example/sitemap.xml';
const known = { kind: 'urlset', urls: URLS, fingerprint: 'a', bytes: 1, tookMs: 1 } as const;
const pages = Array.from({ length: URLS }, (_, page) => `p/${page}`);

const open = (): Promise<Ledger> => ledgerOver(openSqlite(':memory:'), Date.now);

describe('turns of the event loop', () => {
  test(`recording ${URLS} new URLs takes many, so that other work goes on`, async () => {
    const ledger = await open();
    await beginRun(ledger, {
      watch: 'shop' as never,
      account: 'main' as never,
      run: RUN,
      sources: [SITEMAP],
      scope: '',
      firstRun: 'submit',
    });
    const observation = await observe(ledger, RUN);
    for (const page of pages.slice(0, -1)) await observation.entries(SITEMAP, [{ url: shopUrl(page), version: null }]);
    // All of them are written now.
    const turns = await countTurns(() => observation.verdict(SITEMAP, { verdict: 'complete', ...known }));
    await ledger.close();
    assert.ok(turns >= URLS / MOST_A_TURN, `${turns} turns`);
  });

  const sites = { 'that their sitemap lists no more': SITEMAP, 'whose sitemap is listed no more': `${SITEMAP}.gz` };
  for (const [which, sitemap] of Object.entries(sites)) {
    test(`finding ${URLS} URLs gone ${which} takes many, too`, async () => {
      const ledger = await open();
      await crawled(ledger, 'run-1', { [SITEMAP]: pages });
      await endRun(ledger, RUN, 'finished');
      const turns = await countTurns(async () => {
        assert.equal((await crawled(ledger, 'run-2', { [sitemap]: ['left'] })).gone, URLS);
      });
      await ledger.close();
      assert.ok(turns >= URLS / MOST_A_TURN, `${turns} turns`);
    });
  }
});
