import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { formatTry, micros } from '../../../contract/money.ts';
import { courier, ended, folderFor, ofType, printCourier, startCourier } from '../../../test/support/cli.ts';
import { ACCOUNT, completeRun, crawled, NO_GUARD, sendAll, WATCH } from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import { recordStop } from '../../ledger/accounts/stops.ts';
import { learnPrice } from '../../ledger/money/price.ts';
import { type Ledger, openLedger } from '../../ledger/open-ledger.ts';
import { judgeRun } from '../../ledger/plans/judge-run.ts';
import { planRun } from '../../ledger/plans/make-plan.ts';
import { endRun } from '../../ledger/runs/runs.ts';
import type { RunId } from '../../submission/ids.ts';
import { formatInstant } from '../../submission/instant.ts';

const AT_CHECK = new Date(1_770_000_000_000).toISOString();

const SITEMAP = 'https://shop.example/sitemap.xml';

async function openFolder(t: TestContext): Promise<{ folder: string; ledger: Ledger }> {
  const folder = folderFor(
    t,
    () => `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { env: COURIER_API_KEY }, price_per_url: 0.25 TRY }
watches:
  shop: { account: main, sitemaps: ["${SITEMAP}"], schedule: { cron: "30 4 * * *", timezone: Europe/Istanbul }, index_check: {} }
ledger: { url: "sqlite:ledger.db" }
`,
  );
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
  t.after(() => ledger.close());
  return { folder, ledger };
}

async function buy(ledger: Ledger, run: string, pages: readonly string[]): Promise<void> {
  await crawled(ledger, run, { [SITEMAP]: pages });
  await planRun(ledger, run as RunId, { account: ACCOUNT, watch: WATCH });
  await sendAll(ledger);
  await endRun(ledger, run as RunId, 'finished');
}

describe('courier spend', () => {
  test('shows what was charged by watch, day and month', async (t) => {
    const { folder, ledger } = await openFolder(t);
    assert.match(await printCourier(folder, 'spend'), /^Nothing was charged since \d{4}-\d\d-01\.\n$/);
    await buy(ledger, 'first', ['a', 'b']);
    const by = async (...args: string[]) => {
      const { code, records } = await courier(folder, 'spend', ...args);
      const [line] = records.filter(({ type }) => type === 'spend');
      return [code, line?.watch, line?.urls, line?.total_micros, records.at(-1)?.total_micros];
    };
    assert.deepEqual(await by(), [0, 'shop', 2, 500_000, 500_000]);
    assert.deepEqual(await by('--by', 'day'), [0, null, 2, 500_000, 500_000]);
    assert.deepEqual(await by('--by', 'month', 'shop'), [0, 'shop', 2, 500_000, 500_000]);
    assert.match(
      await printCourier(folder, 'spend'),
      /^\d{4}-\d\d {2}shop {2}0\.50 TRY {2}\(2 URLs 0\.50 TRY\)\n0\.50 TRY charged since/,
    );
    assert.equal((await courier(folder, 'spend', '--by', 'week')).code, 2);
  });
});

describe('a price that has changed', () => {
  test('is shown by each command that shows money, with what it does to the next runs', async (t) => {
    const { folder, ledger } = await openFolder(t);
    await buy(ledger, 'first', ['a', 'b']);
    await completeRun(ledger, 'second', { [SITEMAP]: ['a', 'b', 'c', 'd', 'e'] });
    const since = ledger.now();
    await learnPrice(ledger.db, {
      ...{ account: ACCOUNT.id, service: 'standard', charge: micros(500_000), urls: 1, at: since, now: since },
    });
    const changed = `standard: 0.50 TRY a URL since ${formatInstant(since)}, 0.25 TRY before; price_per_url is 0.25 TRY`;
    assert.ok((await printCourier(folder, 'status')).includes(`\n    ${changed}\n`));
    const [account] = ofType(await courier(folder, 'status'), 'account');
    assert.deepEqual((account as { price?: Record<string, unknown> }).price?.standard, {
      ...{ per_url_micros: 500_000, basis: 'learned', before_micros: 250_000 },
      changed_at: new Date(since).toISOString(),
    });
    const [forecast] = ofType(await courier(folder, 'tonight'), 'account_forecast');
    const { new_prices: prices = [] } = (forecast ?? {}) as { new_prices?: Record<string, number>[] };
    const { urls = 0, cost_micros: cost = 0, cost_before_micros: before = 0 } = prices[0] ?? {};
    assert.ok(urls > 0 && cost === urls * 500_000 && before === urls * 250_000, JSON.stringify(prices));
    const effect = `${changed}; the next runs cost about ${formatTry(micros(cost))} in place of ${formatTry(micros(before))}`;
    assert.ok((await printCourier(folder, 'tonight')).includes(`\n  ${effect}\n`));
    const [finding] = ofType(await courier(folder, 'doctor'), 'finding').filter(({ check }) => check === 'price');
    assert.deepEqual([finding?.level, finding?.subject, finding?.message], ['warn', 'main', effect]);
  });
});

describe('courier index-checks list', () => {
  test('lists what the checks did not find', async (t) => {
    const { folder, ledger } = await openFolder(t);
    await buy(ledger, 'first', ['a', 'b']);
    await ledger.db.run(sql`
      INSERT INTO check_queue (url_id, watch_id, completed_at, next_at, checks, misses, last_check_at, found_at)
      SELECT id, watch_id, 1, 1770000000000, 1, CASE WHEN url LIKE '%a' THEN 1 ELSE 0 END, 5,
        CASE WHEN url LIKE '%a' THEN NULL ELSE 5 END FROM urls`);
    const missing = await courier(folder, 'index-checks', 'list', '--not-found');
    assert.deepEqual(
      ofType(missing, 'index_state').map(({ url, result, misses }) => [url, result, misses]),
      [['https://shop.example/a', 'not_found', 1]],
    );
    assert.equal(ofType(await courier(folder, 'index-checks', 'list', '--watch', 'shop'), 'index_state').length, 2);
    assert.match(
      await printCourier(folder, 'index-checks', 'list', '--found'),
      /^shop {2}https:\/\/shop\.example\/b {2}found on 1970-01-01 \d\d:\d\d Europe\/Istanbul, next check 2026-02-02 /,
    );
    assert.equal((await courier(folder, 'index-checks', 'list', '--found', '--not-found')).code, 2);
  });

  test('a URL outside the sample has no next check, and ledger show says why', async (t) => {
    const { folder, ledger } = await openFolder(t);
    await buy(ledger, 'first', ['a']);
    await ledger.db.run(sql`
      INSERT INTO check_queue (url_id, watch_id, completed_at, next_at) SELECT id, watch_id, 1, 1770000000000 FROM urls`);
    const url = 'https://shop.example/a';
    const show = async () => [
      ofType(await courier(folder, 'ledger', 'show', url), 'url_history')[0]?.next_check_at,
      await printCourier(folder, 'ledger', 'show', url),
    ];
    const [at, text] = await show();
    assert.deepEqual(
      [at, /next index check 2026-02-02 05:40 Europe\/Istanbul/.test(String(text))],
      [AT_CHECK, true],
      text as string,
    );
    const file = join(folder, 'courier.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('index_check: {}', 'index_check: { sample: 0.01% }'));
    const [none, why] = await show();
    assert.equal(none, null);
    assert.match(String(why), /no further index check: it is not in the sample of index_check/);
    assert.doesNotMatch(String(why), /next index check/);
  });
});

describe('courier tonight', () => {
  test('shows the next runs with an estimate, without a Temporal server', async (t) => {
    const { folder, ledger } = await openFolder(t);
    await completeRun(ledger, 'first', { [SITEMAP]: ['a'] }, { firstRun: 'submit' });
    const shown = await courier(folder, 'tonight');
    assert.equal(shown.code, 0, shown.stderr);
    const [run] = ofType(shown, 'run_forecast');
    assert.deepEqual([run?.watch, run?.due, run?.cost_micros, run?.usually_found], ['shop', 1, 250_000, null]);
    const text = await printCourier(folder, 'tonight');
    assert.match(text, /^shop: \d{4}-\d\d-\d\d 04:30 Europe\/Istanbul\n {2}about 1 URL, 0\.25 TRY \(1 due; /);
    assert.match(text, /\naccount main: about 1 URL, 0\.25 TRY; balance not known yet\n/);
  });
});

describe('courier status --check', () => {
  test('says nothing but that all is well, and nothing at all with --quiet', async (t) => {
    const { folder, ledger } = await openFolder(t);
    await completeRun(ledger, 'first', { [SITEMAP]: ['a'] });
    assert.equal(await printCourier(folder, 'status', '--check'), '1 watch, 1 account: nothing needs you.\n');
    assert.equal(await printCourier(folder, 'status', '--check', '--quiet'), '');
    assert.equal((await courier(folder, 'status', '--check')).code, 0);
  });

  test('asks for no worker while the first run is under way, and does when that takes too long', async (t) => {
    const { folder, ledger } = await openFolder(t);
    await crawled(ledger, 'waits', { [SITEMAP]: ['a'] });
    assert.equal((await courier(folder, 'status', '--check')).code, 0);
    await ledger.db.run(sql`UPDATE runs SET started_at = started_at - 86400000`);
    const late = await courier(folder, 'status', '--check');
    assert.match(String(ofType(late, 'problem')[0]?.problem), /no run has finished yet/);
  });

  test('exits with the code of the worst problem, and says each with what to do', async (t) => {
    const { folder, ledger } = await openFolder(t);
    const none = await courier(folder, 'status', '--check');
    assert.deepEqual([none.code, ofType(none, 'problem').length], [3, 1]);
    assert.match(
      String(ofType(none, 'problem')[0]?.problem),
      /no run has finished yet.*"courier worker" running, or cron/,
    );

    await completeRun(ledger, 'broken', { [SITEMAP]: 'broken' }, { complete: false });
    const incomplete = await courier(folder, 'status', '--check');
    assert.equal(incomplete.code, 3);
    assert.match(
      String(ofType(incomplete, 'problem')[0]?.problem),
      /^failing since \d{4}-\d\d-\d\d \d\d:\d\d Europe\/Istanbul, 1 run: .*sitemap\.xml: status 500; no run was complete yet\. Check the address/,
    );

    await ledger.db.run(sql`UPDATE runs SET started_at = started_at - 259200000`);
    assert.match(String(ofType(await courier(folder, 'status', '--check'), 'problem')[1]?.problem), /^no run since /);

    await crawled(ledger, 'held', { [SITEMAP]: ['a'] });
    await judgeRun(ledger, 'held' as RunId, { ...NO_GUARD, maxNew: 0 });
    const held = await courier(folder, 'status', '--check');
    assert.deepEqual([held.code, held.records.at(-1)?.held], [8, ['held']]);
    await recordStop(ledger.db, ACCOUNT.id, { kind: 'key', at: 0, reason: { code: 'reported', text: 'status 401' } });
    assert.equal((await courier(folder, 'status', '--check')).code, 6, 'a key comes before a guard');
  });
});

describe('planned batches that nobody sends', () => {
  test('are a problem after six hours, with the command that sends them', async (t) => {
    const { folder, ledger } = await openFolder(t);
    await crawled(ledger, 'first', { [SITEMAP]: ['a'] });
    await planRun(ledger, 'first' as RunId, { account: ACCOUNT, watch: WATCH });
    await endRun(ledger, 'first' as RunId, 'finished');
    assert.equal((await courier(folder, 'status', '--check')).code, 0);
    await ledger.db.run(sql`UPDATE batches SET planned_at = planned_at - 22000000`);
    const late = await courier(folder, 'status', '--check');
    assert.equal(late.code, 5);
    assert.match(
      String(ofType(late, 'problem')[0]?.problem),
      /^1 planned batch is not sent since .*, and nothing holds them back\..*courier run$/,
    );
  });
});

describe('a key file that is gone', () => {
  test('is a problem with the code of a configuration that you correct', async (t) => {
    const { folder, ledger } = await openFolder(t);
    await completeRun(ledger, 'first', { [SITEMAP]: ['a'] });
    const file = join(folder, 'courier.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('{ env: COURIER_API_KEY }', '{ file: courier.key }'));
    const gone = await courier(folder, 'status', '--check');
    assert.equal(gone.code, 2);
    assert.match(String(ofType(gone, 'problem')[0]?.problem), /courier\.key is gone, so nothing is sent or charged/);
    writeFileSync(join(folder, 'courier.key'), 'a-key');
    assert.equal((await courier(folder, 'status', '--check')).code, 0);
  });
});

describe('courier status --follow', () => {
  test('prints again what has changed, until a signal ends it', async (t) => {
    const { folder, ledger } = await openFolder(t);
    const child = startCourier(folder, 'status', '--follow');
    const followed = ended(child);
    const seen = new Promise<void>((resolve, reject) => {
      let text = '';
      let added = false;
      child.stdout?.on('data', (chunk) => {
        text += chunk;
        if (!added && text.includes('"last_run":null')) {
          added = true;
          completeRun(ledger, 'first', { [SITEMAP]: ['a'] }).catch(reject);
        }
        if (text.includes('"run":"first"')) resolve();
      });
      child.on('close', () => reject(new Error(`ended: ${text}`)));
    });
    await seen;
    child.kill('SIGTERM');
    const { code, records } = await followed;
    assert.equal(code, 143);
    assert.equal(records.filter(({ type }) => type === 'account').length, 1, 'what has not changed is not repeated');
    assert.equal(records.filter(({ type }) => type === 'watch').length, 2);
  });
});
