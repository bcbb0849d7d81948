import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { startFakeService } from '../../../test/fakes/service/fake-service.ts';
import { type Profile, SHOWS_URLS } from '../../../test/fakes/service/profile.ts';
import { NAMED_PROFILES } from '../../../test/fakes/service/profiles/named.ts';
import { createSeededProfile } from '../../../test/fakes/service/profiles/seeded.ts';
import { type CommandRun, folderFor, ofType, openCommands, printCourier, publish } from '../../../test/support/cli.ts';
import { lira, type openService, serviceTest, TestClient } from '../../../test/support/service.ts';
import { openShopFolder } from '../../../test/support/shop-folder.ts';
import { sql } from '../../database/sql.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { AUDIT_COLUMNS } from '../output/audit-csv.ts';

type Service = Awaited<ReturnType<typeof openService>>['service'];

/** A shop with three pages bought, between two readings of the balance. */
async function openBought(t: TestContext, folder: string) {
  publish(folder, [1, 2, 3]);
  const run = openCommands(t, folder);
  await run('doctor');
  const bought = await run('run', '--once');
  assert.equal(bought.code, 0, bought.stderr);
  return run;
}

const totalsOf = (shown: CommandRun) => {
  const [totals] = ofType(shown, 'audit');
  const names = ['journal', 'service', 'difference', 'explained', 'not_explained'] as const;
  return [...names.map((name) => Number(totals?.[`${name}_micros`]) / 1e6), totals?.questions];
};

const tell = (shown: CommandRun) =>
  ofType(shown, 'audit_entry').map(({ status, why, urls, difference_micros: by }) => [
    ...[status, why, urls, by === null ? null : Number(by) / 1e6],
  ]);

const externalOf = (shown: CommandRun) =>
  ofType(shown, 'audit_window').map(({ external_micros: by }) => Number(by) / 1e6);

const codesOf = (shown: CommandRun) => ofType(shown, 'audit_unknown').map(({ code }) => code);

/** All that decides about money. */
async function readMoney(folder: string): Promise<unknown> {
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
  try {
    const tables = ['ledger_accounts', 'prices', 'journal', 'journal_totals', 'balance_readings', 'batches'] as const;
    const [accounts, prices, journal, totals, readings, batches] = [
      await ledger.db.all(sql`SELECT * FROM ledger_accounts`),
      await ledger.db.all(sql`SELECT * FROM prices`),
      await ledger.db.all(sql`SELECT * FROM journal ORDER BY id`),
      await ledger.db.all(sql`SELECT * FROM journal_totals ORDER BY day, bucket`),
      await ledger.db.all(sql`SELECT * FROM balance_readings ORDER BY id`),
      await ledger.db.all(sql`SELECT * FROM batches ORDER BY id`),
    ];
    return { tables, accounts, prices, journal, totals, readings, batches };
  } finally {
    await ledger.close();
  }
}

/** What another program of the customer does with a key of its own. */
async function openOther(service: Service, folder: string): Promise<TestClient> {
  return new TestClient(service.baseUrl, readFileSync(join(folder, 'key'), 'utf8'));
}

describe('courier audit', () => {
  serviceTest(
    'finds another program, a charge that neither knows of, and a top-up; and changes nothing',
    async ({ service }, t) => {
      const folder = await openShopFolder(t, service);
      const run = await openBought(t, folder);
      const clean = await run('audit');
      assert.equal(clean.code, 0, clean.stderr);
      assert.deepEqual(totalsOf(clean), [0.75, 0.75, 0, 0, 0, 0]);
      assert.deepEqual(tell(clean), [['same', null, 3, 0]]);
      assert.deepEqual(codesOf(clean), ['before_first_reading', 'after_last_reading']);

      const other = await openOther(service, folder);
      const urls = ['https://news.example/1', 'https://news.example/2'];
      assert.equal((await other.post('/submissions', 'other-key-1', { project: 'Newsletter', urls })).status, 202);
      assert.equal((await other.post('/index-check', 'other-key-2', { urls: urls.slice(0, 1) })).status, 200);
      const money = await readMoney(folder);
      const found = await run('audit');
      assert.deepEqual(await readMoney(folder), money, 'an audit only reads');
      assert.equal(found.code, 3, found.stderr);
      assert.deepEqual(tell(found), [
        ['same', null, 3, 0],
        ['only_there', 'other_program', 2, 0.5],
      ]);
      assert.deepEqual(externalOf(found), [0.5], 'the index-check, which is in no list');
      assert.deepEqual(totalsOf(found), [0.75, 1.75, 1, 0.5, 0.5, 1]);

      await run('doctor');
      const shop = (await service.accounts.accounts()).find(({ name }) => name.startsWith('Shop '));
      await service.accounts.topUp(shop!.name, lira('20'));
      assert.deepEqual(externalOf(await run('audit', 'main')), [0.5, -20]);
      const text = await printCourier(folder, 'audit', '--all');
      assert.match(
        text,
        /^main: \d{4}-\d\d-01 to .* Days are in UTC\.\n {2}Journal 0\.75 TRY; service 1\.75 TRY; difference 1\.00 TRY: 0\.50 TRY explained, 0\.50 TRY not explained\. 1 question left\./,
      );
      assert.match(text, /only there {2}\S+, project Newsletter, 2 URLs: service 0\.50 TRY \(another program\)/);
      assert.match(
        text,
        /0\.50 TRY was spent by nothing that the journal or the list knows\n.*20\.00 TRY came in: a refund or a top-up/,
      );
      assert.match(text, /What cannot be known:\n {4}No balance is known from/);
    },
  );

  serviceTest('writes a sheet and a file for whoever pays', async ({ service }, t) => {
    const folder = await openShopFolder(t, service);
    const run = await openBought(t, folder);
    const [header, first] = (await printCourier(folder, 'audit', '--csv')).split('\r\n');
    assert.equal(header, AUDIT_COLUMNS.join(','));
    assert.match(
      String(first),
      /^main,submission,same,,\d{4}-\d\d-\d\d,[^,]+Z,,shop,[^,]+,1,[^,]+,Shop \[sc\w+\],3,750000,750000,750000,0,$/,
    );
    const written = await run('audit', '--csv', '--out', 'audit.csv');
    assert.deepEqual([written.code, /are two forms/.test(written.stderr)], [2, true]);
    assert.equal((await printCourier(folder, 'audit', '--csv', '-o', 'audit.csv')).trim(), 'audit.csv: 1 account.');
    assert.match(readFileSync(join(folder, 'audit.csv'), 'utf8'), /^account,kind,status/);
    const both = await run('audit', '-o', 'audit.txt');
    assert.deepEqual([both.code, both.records.at(-1)?.file], [0, 'audit.txt']);
    assert.match(readFileSync(join(folder, 'audit.txt'), 'utf8'), /Nothing is left unexplained/);

    const past = await run('audit', '--from', '2020-01-01', '--to', '2020-01-31');
    assert.deepEqual([past.code, totalsOf(past)], [0, [0, 0, 0, 0, 0, 0]]);
    for (const args of [['--from', '2099-01-01'], ['--from', '2026-01-31', '--to', '2026-01-01'], ['nobody']])
      assert.equal((await run('audit', ...args)).code, 2, args.join(' '));
  });

  serviceTest('works without the service, and says what was not compared', async ({ service, client }, t) => {
    const folder = await openShopFolder(t, service);
    const run = await openBought(t, folder);
    writeFileSync(join(folder, 'key'), client.key, { mode: 0o600 });
    const other = await run('audit');
    assert.deepEqual([other.code, /another account|other account/.test(other.stderr)], [2, true], other.stderr);
    writeFileSync(join(folder, 'key'), 'sk_nobody', { mode: 0o600 });
    const refused = await run('audit');
    assert.deepEqual([refused.code, tell(refused)], [6, [['not_compared', 'list_not_read', 3, null]]], refused.stderr);
    await service.close();
    const away = await run('audit');
    assert.equal(away.code, 5, away.stderr);
    assert.deepEqual(totalsOf(away), [0.75, 0.75, 0, 0, 0, 0]);
    assert.ok(codesOf(away).includes('list_not_read') && codesOf(away).includes('balance_not_read'));
    assert.match(away.stderr, /main: the service was not read to the end: /);
  });
});

/** The same of a service by other people. */
async function openFake(t: TestContext, profile: Profile, listLagMs = 0) {
  const service = await startFakeService(t, { profile, listLagMs, jobMs: () => 0 });
  const settings = profile.account === '' ? '' : `, ${profile.account}`;
  const folder = folderFor(
    t,
    () => `version: 1
accounts:
  main: { base_url: "${service.baseUrl}", api_key: { file: key }, price_per_url: 0.25 TRY${settings} }
watches:
  shop: { account: main, project: Shop, sitemaps: [sitemap.xml], hosts: [shop.example], first_run: submit }
temporal: { address: "" }
ledger: { url: "sqlite:ledger.db" }
`,
  );
  writeFileSync(join(folder, 'key'), 'a-key', { mode: 0o600 });
  return { service, folder };
}

describe('courier audit of another service', () => {
  const camel = NAMED_PROFILES.find(({ name }) => name === 'camel');
  test('whose list shows no charges: by the balance', async (t) => {
    const { service, folder } = await openFake(t, camel!);
    const run = await openBought(t, folder);
    const before = await run('audit');
    assert.deepEqual([before.code, tell(before)], [0, [['not_compared', 'no_charge_shown', 3, null]]], before.stderr);
    assert.deepEqual([externalOf(before), codesOf(before).includes('charges_not_shown')], [[], true]);
    await run('doctor');
    service.check('other-key-1', JSON.stringify({ urls: ['https://news.example/1'] }));
    const after = await run('audit');
    assert.deepEqual([after.code, externalOf(after)], [3, [0.5]]);
  });

  test('whose list is late: the job is asked for by its reference', async (t) => {
    const { service, folder } = await openFake(t, SHOWS_URLS, 3_600_000);
    const run = await openBought(t, folder);
    const shown = await run('audit');
    assert.deepEqual([shown.code, tell(shown)], [0, [['same', null, 3, 0]]], shown.stderr);
    assert.ok(service.requests.includes('GET /submissions/R-1?url_page=1&url_limit=1'), service.requests.join('\n'));
    assert.ok(!service.requests.slice(service.requests.length - 4).some((request) => request.startsWith('POST')));
  });

  for (const seed of [3, 4]) {
    test(`of seed ${seed}: a job without a charge explains a fall, and a refund is one`, async (t) => {
      const { service, folder } = await openFake(t, createSeededProfile(seed));
      const run = await openBought(t, folder);
      const body = { project: 'Newsletter', urls: ['https://news.example/1'], service: 'standard' };
      assert.equal(service.submit('other-key-1', JSON.stringify(body)).kind, 'done');
      // Its times may be of another zone, and so of another day.
      const audit = () => run('audit', '--from', '2020-01-01', '--to', '2099-12-31');
      const found = await audit();
      assert.deepEqual(
        tell(found).toSorted((a, b) => String(a[0]).localeCompare(String(b[0]))),
        [
          ['not_compared', 'no_charge_shown', 3, null],
          ['only_there', 'other_program', found.records.find(({ why }) => why === 'other_program')?.urls, null],
        ],
      );
      assert.deepEqual([found.code, externalOf(found)], [0, []]);
      assert.ok(codesOf(found).includes('balance_not_compared'));
      await run('doctor');
      service.topUp(500);
      const refunded = await audit();
      assert.deepEqual([refunded.code, externalOf(refunded)], [0, [-5]], JSON.stringify(refunded.records));
    });
  }
});
