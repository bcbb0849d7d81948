import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { parseTry } from '../../contract/money.ts';
import { startService } from '../../service/serve.ts';
import { createApiClient } from '../../src/api-client/client.ts';
import { unwrapData } from '../../src/api-client/errors.ts';
import { loadConfig } from '../../src/config/load.ts';
import { listPendingBatches } from '../../src/ledger/batches/batch-queries.ts';
import { beginSend } from '../../src/ledger/batches/begin-send.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { planRun } from '../../src/ledger/plans/make-plan.ts';
import { getAccountTotals } from '../../src/ledger/reports/totals.ts';
import { endRun } from '../../src/ledger/runs/runs.ts';
import { freezeBatch } from '../../src/submission/freeze.ts';
import type { AccountId, IdempotencyKey, RunId, WatchId } from '../../src/submission/ids.ts';
import type { Url } from '../../src/url/normalize-url.ts';
import { courier, folderFor, ofType, printCourier, publish } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { crawled, shopUrl } from '../support/ledger.ts';
import { AMPLE } from '../support/service.ts';
import { openShopFolder } from '../support/shop-folder.ts';
import { temporalAddress } from '../support/temporal.ts';

const lira = (text: string) => parseTry(text)!;
const account = 'main' as AccountId;

async function scene(t: TestContext) {
  const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
  t.after(() => service.close());
  const { id } = await service.accounts.createAccount({ name: 'Shop', balance: lira('5000'), price: lira('0.25') });
  const { apiKey } = await service.accounts.createKey({ account: id });
  const client = createApiClient({ baseUrl: service.baseUrl, apiKey: () => apiKey });
  t.after(() => client.close());
  const folder = folderFor(
    t,
    (at) => `version: 1
accounts:
  main: { base_url: "${service.baseUrl}", api_key: { file: "${join(at, 'key')}" }, limits: { requests: { minute: 120 } } }
watches:
  shop: { account: main, project: Shop, sitemaps: ["${join(at, 'sitemap.xml')}"], hosts: [shop.example], first_run: submit }
  blog: { account: main, project: Blog, sitemaps: ["${join(at, 'sitemap.xml')}"], hosts: [blog.example], first_run: submit }
ledger: { url: "sqlite:${join(at, 'ledger.db')}" }
`,
  );
  writeFileSync(join(folder, 'key'), apiKey);
  /** What a connector submitted before it lost its ledger. */
  const submitted = async (project: string, generation: number, urls: readonly Url[]) => {
    const names = { baseUrl: service.baseUrl, account, watch: 'shop' as WatchId, service: 'standard' as const };
    const { body, key } = freezeBatch({ ...names, project, generation, urls });
    return unwrapData(await client.submit(body, key)).reference;
  };
  return { folder, client, submitted, ledgerUrl: `sqlite:${join(folder, 'ledger.db')}` };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

describe('courier recover', () => {
  test("an empty ledger is rebuilt from the service's history, and only the remaining URLs are bought", async (t) => {
    const { folder, client, submitted, ledgerUrl } = await scene(t);
    for (const part of range(0, 21)) await submitted('Shop', 1, range(part * 60, part * 60 + 60).map(shopUrl));
    await submitted('Shop', 2, range(0, 10).map(shopUrl));
    const others = { project: 'By hand', service: 'standard', urls: [shopUrl(1260), shopUrl(1261)] };
    await client.submit(JSON.stringify(others), 'by-hand-0001' as IdempotencyKey);
    const unassigned = { project: 'Somebody', service: 'standard', urls: ['https://other.example/1'] };
    await client.submit(JSON.stringify(unassigned), 'by-hand-0002' as IdempotencyKey);

    const first = await courier(folder, 'recover');
    assert.equal(first.code, 3, first.stderr);
    const [recovered] = ofType(first, 'recovered');
    assert.deepEqual(
      [recovered?.jobs, recovered?.recovered, recovered?.urls, recovered?.unassigned],
      [24, 23, 1_272, 1],
    );
    assert.equal(ofType(first, 'unassigned')[0]?.sample, 'https://other.example/1');

    publish(folder, range(0, 1265));
    const plan = await courier(folder, 'plan', 'shop');
    assert.equal(ofType(plan, 'plan')[0]?.urls, 3, 'only what nobody ever bought');
    const ledger = await openLedger(ledgerUrl);
    t.after(() => ledger.close());
    assert.equal((await getAccountTotals(ledger, account)).chargedEver, lira('0.25') * 1_272);

    const again = await courier(folder, 'recover', '--watch', 'blog');
    assert.equal(again.code, 0, again.stderr);
    assert.deepEqual([ofType(again, 'recovered')[0]?.known, ofType(again, 'recovered')[0]?.recovered], [23, 1]);
  });

  test('before recover, plan, run and status say why nothing is bought, and what to do', async (t) => {
    const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
    t.after(() => service.close());
    const folder = await openShopFolder(t, service, await temporalAddress(t));
    publish(folder, ['1', '2']);
    const bought = await courier(folder, 'run', '--once');
    assert.equal(bought.code, 0, bought.stderr);
    for (const file of readdirSync(folder)) if (file.startsWith('ledger.db')) rmSync(join(folder, file));

    publish(folder, ['1', '2', '3']);
    const plan = await courier(folder, 'plan');
    assert.equal(plan.code, 3, plan.stderr);
    const notice = /A run would submit nothing of main: the service has jobs of ours.*"courier recover --account main"/;
    assert.match(String(ofType(plan, 'account_plan')[0]?.notices), notice);
    const run = await courier(folder, 'run', '--once');
    assert.equal(run.code, 3, run.stderr);
    assert.match(
      run.stderr,
      /shop: the account is held: the service has jobs of ours.*"courier recover --account main"/,
    );
    assert.doesNotMatch(run.stderr, /insufficient|money/i);
    assert.match(await printCourier(folder, 'status'), /it sends nothing: the service has jobs of ours/);

    assert.equal((await courier(folder, 'recover')).code, 0);
    assert.equal((await courier(folder, 'run', '--once')).code, 0);
    const [account] = ofType(await courier(folder, 'status'), 'account');
    assert.equal(account?.charged_ever_micros, lira('0.75'), 'what was bought before is not bought again');
  });

  test('a restored copy of the ledger learns which jobs were sent after the backup', async (t) => {
    const { folder, client, ledgerUrl } = await scene(t);
    const config = loadConfig(join(folder, 'courier.yaml'));
    const policies = { account: config.accounts.get(account)!, watch: config.watches.get('shop' as WatchId)! };
    const ledger = await openLedger(ledgerUrl);
    await crawled(ledger, 'r1', { [policies.watch.sources[0]!]: range(0, 7).map(String) });
    await planRun(ledger, 'r1' as RunId, policies);
    const batch = (await listPendingBatches(ledger, account)).batches[0]!.id;
    // The copy is made here. What follows happened to the original, which is lost.
    const body = await ledger.db.all<{ body: string }>({ strings: ['SELECT body FROM batch_bodies'], parts: [] });
    await ledger.close();
    await client.submit(body[0]!.body, 'the-key-of-it' as IdempotencyKey);

    const run = await courier(folder, 'recover');
    assert.equal(run.code, 0, run.stderr);
    assert.equal(ofType(run, 'recovered')[0]?.answered, 1);
    const restored = await openLedger(ledgerUrl);
    t.after(() => restored.close());
    assert.equal((await beginSend(restored, batch, policies)).kind, 'closed', 'it is not sent again');
    assert.equal((await getAccountTotals(restored, account)).chargedEver, lira('1.75'));
  });

  test('names the watch of a job that is not in the configuration, and takes the job in when it is back', async (t) => {
    const { folder, client, submitted, ledgerUrl } = await scene(t);
    const path = join(folder, 'courier.yaml');
    const text = readFileSync(path, 'utf8');
    const config = loadConfig(path);
    const policies = { account: config.accounts.get(account)!, watch: config.watches.get('shop' as WatchId)! };
    const ledger = await openLedger(ledgerUrl);
    await crawled(ledger, 'r1', { [policies.watch.sources[0]!]: ['1'] });
    await planRun(ledger, 'r1' as RunId, policies);
    await endRun(ledger, 'r1' as RunId, 'finished');
    await ledger.close();
    const reference = await submitted('Shop', 1, [shopUrl('2')]);
    const unassigned = { project: 'Somebody', service: 'standard', urls: ['https://other.example/1'] };
    await client.submit(JSON.stringify(unassigned), 'by-hand-0001' as IdempotencyKey);

    writeFileSync(path, text.replace(/^ {2}shop: .*\n/m, ''));
    const shown = await printCourier(folder, 'recover');
    assert.match(shown, new RegExp(`1 job of the watch shop, which is not in the configuration,.*${reference}`));
    assert.match(shown, /Put the watch back and run this again/);
    assert.match(shown, /1 job matched no watch and was left out.*project Somebody/);
    writeFileSync(path, text);
    const back = await courier(folder, 'recover');
    assert.deepEqual([ofType(back, 'recovered')[0]?.recovered, ofType(back, 'unassigned').length], [1, 1]);
    assert.doesNotMatch(await printCourier(folder, 'recover'), /not in the configuration/);
  });

  test('takes in what a watch bought in an account that it has left since, and the new account does not buy it', async (t) => {
    const { folder, submitted, ledgerUrl } = await scene(t);
    const path = join(folder, 'courier.yaml');
    const before = loadConfig(path);
    const { sources } = before.watches.get('shop' as WatchId)!;
    const ledger = await openLedger(ledgerUrl);
    t.after(() => ledger.close());
    await crawled(ledger, 'r1', { [sources[0]!]: ['1'] });
    await endRun(ledger, 'r1' as RunId, 'finished');
    // The copy is made here. Its original, which is lost, bought a page before the watch moved.
    await submitted('Shop', 1, [shopUrl('2')]);
    const moved = readFileSync(path, 'utf8')
      .replace('shop: { account: main', 'shop: { account: second')
      .replace(/( {2})main(: .*)/, '$1main$2\n$1second$2');
    writeFileSync(path, moved);

    const recovered = await courier(folder, 'recover', '--account', 'main');
    assert.equal(recovered.code, 0, recovered.stderr);
    assert.deepEqual([ofType(recovered, 'recovered')[0]?.recovered, ofType(recovered, 'unassigned')], [1, []]);
    const config = loadConfig(path);
    const policies = {
      account: config.accounts.get('second' as AccountId)!,
      watch: config.watches.get('shop' as WatchId)!,
    };
    await crawled(ledger, 'r2', { [sources[0]!]: ['1', '2'] }, { account: policies.account.id });
    assert.equal((await planRun(ledger, 'r2' as RunId, policies)).urls, 1, 'page 1 alone');
  });

  test('a rejected key or an invalid date changes nothing, and the message says why', async (t) => {
    const { folder } = await scene(t);
    const [date, other] = [
      await courier(folder, 'recover', '--since', '2026-02-30'),
      await courier(folder, 'recover', '--account', 'x'),
    ];
    assert.deepEqual([date.code, other.code], [2, 2]);
    assert.match(other.stderr, /no account "x".*Its accounts: main/s);
    writeFileSync(join(folder, 'key'), 'usk_wrong');
    const refused = await courier(folder, 'recover');
    assert.equal(refused.code, 6);
    assert.match(refused.stderr, /history of main could not be read.*Nothing was charged/s);
  });
});
