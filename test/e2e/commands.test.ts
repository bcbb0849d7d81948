import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { parseTry } from '../../contract/money.ts';
import { startService } from '../../service/serve.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { getAccountTotals } from '../../src/ledger/reports/totals.ts';
import type { AccountId } from '../../src/submission/ids.ts';
import { courier, ended, folderFor, ofType, publish, startCourier } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';

const pages = (count: number) => Array.from({ length: count }, (_, n) => n);
const lira = (text: string) => parseTry(text)!;

/** A folder with a configuration, its site and a service; the worker brings a Temporal server of the folder. */
async function scene(t: TestContext) {
  const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite') });
  t.after(() => service.close());
  const account = await service.accounts.createAccount({ name: 'Shop', balance: lira('100'), price: lira('0.25') });
  const { apiKey } = await service.accounts.createKey({ account: account.id });
  const folder = folderFor(
    t,
    (at) => `version: 1
accounts:
  main: { base_url: "${service.baseUrl}", api_key: { file: "${join(at, 'key')}" } }
watches:
  shop:
    account: main
    service: fast
    sitemaps: ["${join(at, 'sitemap.xml')}"]
    hosts: [shop.example]
    first_run: submit
    schedule: { cron: "0 0 1 1 *", timezone: UTC }
    guard: { max_new: 5 }
    index_check: { after: 0s, every: 7d }
`,
  );
  writeFileSync(join(folder, 'key'), apiKey);
  const charged = async () => {
    const ledger = await openLedger(`sqlite:${join(folder, '.courier', 'ledger.db')}`);
    const { chargedEver } = await getAccountTotals(ledger, 'main' as AccountId);
    await ledger.close();
    return chargedEver;
  };
  return { folder, charged };
}

async function startWorker(t: TestContext, folder: string) {
  const worker = startCourier(folder, 'worker', '--quiet');
  const over = ended(worker);
  t.after(async () => {
    if (worker.exitCode === null) worker.kill('SIGKILL');
    await over;
  });
  let said = '';
  await new Promise<void>((resolve) => {
    worker.stdout?.on('data', (chunk) => {
      said += chunk;
      if (said.includes('"ready"')) resolve();
    });
  });
  return { worker, over };
}

describe('commands in one folder', () => {
  test('plan, apply, run, approve, reject, pause and index-check work with the worker of the folder', async (t) => {
    const { folder, charged } = await scene(t);
    const noServer = await courier(folder, 'approve', 'watch/shop/x');
    assert.equal(noServer.code, 5);
    assert.match(noServer.stderr, /none runs for courier.yaml.*Start "courier worker"/s);

    publish(folder, pages(3));
    const planned = await courier(folder, 'plan', '-o', 'old.json', '--detailed-exitcode');
    assert.equal(planned.code, 4, planned.stderr);
    const [account] = ofType(planned, 'account_plan');
    assert.deepEqual(
      [account?.urls, account?.cost_micros, account?.balance_micros],
      [3, lira('0.75'), lira('100')],
      'at the price that the service shows',
    );
    publish(folder, pages(4));
    const [again] = ofType(await courier(folder, 'plan', '-o', 'plan.json'), 'plan');
    assert.deepEqual([again?.urls, again?.due], [4, { new: 4, changed: 0, retry: 0, not_found: 0, released: 0 }]);
    assert.equal((await courier(folder, 'apply', 'plan.json')).code, 5, 'no server: the plan is not used up');

    const { worker, over } = await startWorker(t, folder);
    const stale = await courier(folder, 'apply', 'old.json');
    assert.equal(stale.code, 2);
    assert.match(stale.stderr, /out of date/);
    assert.equal((await courier(folder, 'apply', 'plan.json')).code, 0);
    const twice = await courier(folder, 'apply', 'plan.json');
    assert.equal(twice.code, 2);
    assert.match(twice.stderr, /already applied/);
    const settled = await courier(folder, 'run');
    assert.equal(settled.code, 0, settled.stderr);
    assert.equal(await charged(), lira('1'), 'four pages, once');

    publish(folder, pages(12));
    const guarded = await courier(folder, 'plan', '-o', 'guarded.json');
    assert.deepEqual(ofType(guarded, 'plan')[0]?.guards, ['8 new URLs, more than max_new allows (5)']);
    assert.equal((await courier(folder, 'apply', 'guarded.json')).code, 8);
    const held = await courier(folder, 'run');
    assert.equal(held.code, 8);
    const run = await heldRun(folder);
    assert.match(held.stderr, new RegExp(`max_new.*courier approve ${run}`));
    assert.equal((await courier(folder, 'plan')).code, 9, 'one run at a time');
    assert.equal((await courier(folder, 'reject', run, '--note', 'relaunch is next week')).code, 0);
    const second = await courier(folder, 'run');
    assert.equal(second.code, 8, 'what was rejected asks again');
    const next = await heldRun(folder);
    assert.equal((await courier(folder, 'approve', next)).code, 0);
    const decided = await courier(folder, 'reject', next);
    assert.equal(decided.code, 2, 'the first decision stands, or the run has ended');
    const capped = await courier(folder, 'run', '--max-cost', '0TRY');
    assert.ok(capped.code === 0 || capped.code === 9, capped.stderr);
    await untilCharged(charged, lira('3'));

    const checked = await courier(folder, 'index-check');
    assert.equal(checked.code, 0, checked.stderr);
    assert.equal(ofType(checked, 'index_check').length, 1);

    assert.equal((await courier(folder, 'watch', 'pause', 'shop')).code, 0);
    assert.equal(ofType(await courier(folder, 'watch', 'list'), 'schedule')[0]?.state, 'paused');
    assert.equal((await courier(folder, 'watch', 'resume', 'shop')).code, 0);
    const [watch] = ofType(await courier(folder, 'watch', 'list'), 'schedule');
    assert.equal(watch?.state, 'scheduled');
    assert.ok(Date.parse(String(watch?.next_run_at)) > Date.now());

    worker.kill('SIGTERM');
    const { code, stderr } = await over;
    assert.equal(code, 143, stderr);
    assert.ok(!existsSync(join(folder, '.courier', 'temporal.json')), 'its server is gone with it');
  });

  async function heldRun(folder: string): Promise<string> {
    const [watch] = ofType(await courier(folder, 'status'), 'watch');
    const [run] = (watch?.held ?? []) as { run: string; reasons: string[] }[];
    assert.ok(run !== undefined, 'a run is held');
    assert.match(run.reasons.join(), /more than max_new allows/);
    return run.run;
  }

  async function untilCharged(charged: () => Promise<number>, amount: number): Promise<void> {
    for (let tries = 0; tries < 300; tries++) {
      if ((await charged()) === amount) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    assert.equal(await charged(), amount);
  }

  test('run --once needs no worker; after an interruption the next one continues, and nothing is bought twice', async (t) => {
    const { folder, charged } = await scene(t);
    publish(folder, pages(5));
    const bad = await courier(folder, 'run', '--once', '--max-cost', '-5TRY');
    assert.equal(bad.code, 2);
    const twice = await courier(folder, 'run', '--once', '--max-cost', '1.500TRY');
    assert.equal(twice.code, 2);
    assert.match(twice.stderr, /--max-cost.*"1\.500TRY" can be read as two amounts\. Write 1500TRY or 1\.50TRY\./);
    const first = startCourier(folder, 'run', '--once', '--wait');
    t.after(() => first.kill('SIGKILL'));
    const over = ended(first);
    await untilCharged(async () => (existsSync(join(folder, '.courier', 'ledger.db')) ? charged() : 0), lira('1.25'));
    first.kill('SIGTERM');
    const stopped = await over;
    assert.equal(stopped.code, 143, stopped.stderr);
    assert.match(stopped.stderr, /The next run or worker continues/);
    assert.ok(!existsSync(join(folder, '.courier', 'temporal.json')), 'no server is left behind');

    publish(folder, pages(7));
    const next = startCourier(folder, 'run', '--once');
    t.after(() => next.kill('SIGKILL'));
    const nextOver = ended(next);
    const [line] = (await once(next.stderr!, 'data')) as [Buffer];
    assert.match(String(line), /Temporal runs at/);
    next.kill('SIGINT');
    assert.equal((await nextOver).code, 130);
    assert.equal(await charged(), lira('1.25'));
  });
});
