/**
 * Sequences in which an independent implementation of the specification made the connector lose money, played by the real
 * program. The services are those of the fakes: three profiles that share no code with ours.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { type FakeServiceOptions, startFakeService } from '../fakes/service/fake-service.ts';
import { getUrlPage, type Profile } from '../fakes/service/profile.ts';
import { NAMED_PROFILES } from '../fakes/service/profiles/named.ts';
import type { Job } from '../fakes/service/records.ts';
import { failure, html } from '../fakes/service/replies.ts';
import { courier, ended, folderFor, ofType, printCourier, publish, startCourier } from '../support/cli.ts';
import { shopUrl } from '../support/ledger.ts';
import { lira } from '../support/shop-folder.ts';
import { temporalAddress } from '../support/temporal.ts';

const KEY = 'fake-service-key';
const profile = (name: string): Profile => NAMED_PROFILES.find((each) => each.name === name) ?? assert.fail();
const pages = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

interface Settings {
  /** YAML lines of the account and of the watch. */
  readonly account?: readonly string[];
  readonly watch?: readonly string[];
}

async function scene(t: TestContext, options: FakeServiceOptions, { account = [], watch = [] }: Settings = {}) {
  const service = await startFakeService(t, { apiKey: KEY, ...options });
  const temporal = await temporalAddress(t);
  const lines = (indent: string, all: readonly string[]) => all.map((line) => `${indent}${line}`).join('\n');
  const folder = folderFor(
    t,
    () => `version: 1
accounts:
  main:
    base_url: ${service.baseUrl}
    api_key: { file: key }
    tracking: { standard: { first: 1s, min: 1s, max: 1s, growth: 1 } }
${lines(
  '    ',
  [service.profile.account, ...account].filter((line) => line !== ''),
)}
watches:
  shop:
    account: main
    sitemaps: [sitemap.xml]
    hosts: [shop.example]
    first_run: submit
${lines('    ', watch)}
temporal: { address: "${temporal}", namespace: default }
ledger: { url: "sqlite:ledger.db" }
`,
  );
  writeFileSync(join(folder, 'key'), KEY);
  const ledgerFiles = () =>
    readdirSync(folder).filter((file) => file.startsWith('ledger.db') && !file.endsWith('copy'));
  return {
    service,
    folder,
    /** Copies the ledger as a backup does, and puts the copy in its place again. */
    backUp() {
      const db = new DatabaseSync(join(folder, 'ledger.db'));
      db.exec(`VACUUM INTO '${join(folder, 'copy')}'`);
      db.close();
    },
    restore() {
      for (const file of ledgerFiles()) rmSync(join(folder, file));
      renameSync(join(folder, 'copy'), join(folder, 'ledger.db'));
    },
    countCharges: () => [...service.charges.values()].reduce((sum, n) => sum + n, 0),
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** A run during an outage: its URLs are planned, and no request is answered. */
async function planDuringOutage({ service, folder }: Scene): Promise<void> {
  service.faults.push(...Array.from({ length: 200 }, () => 'error-503-before' as const));
  const child = startCourier(folder, 'run', '--once', '--timeout', '1s');
  const { code, stderr } = await ended(child);
  assert.equal(code, 5, stderr);
  service.faults.length = 0;
}

describe('a restored copy with a batch that was sent later', () => {
  for (const each of NAMED_PROFILES) {
    test(`buys nothing again after recover, though keys are forgotten and the batch was split (${each.name})`, async (t) => {
      const played = await scene(
        t,
        { profile: each, maxUrls: 40 },
        { account: ['limits: { requests: { minute: 120 } }'] },
      );
      const { service, folder, backUp, restore, countCharges } = played;
      publish(folder, pages(0, 60));
      await planDuringOutage(played);
      backUp();
      const sent = await courier(folder, 'run', '--once');
      assert.equal(sent.code, 0, sent.stderr);
      assert.equal(countCharges(), 60);
      restore();
      service.advance(25 * 3_600_000);

      const recovered = await courier(folder, 'recover', '--watch', 'shop');
      assert.equal(recovered.code, 0, recovered.stderr);
      publish(folder, pages(0, 61));
      const run = await courier(folder, 'run', '--once');

      assert.equal(run.code, 0, run.stderr);
      assert.equal(countCharges(), 61, 'only the page that is new');
      assert.deepEqual(service.breaches, []);
    });
  }

  test('sends nothing before recover, and every run says why', async (t) => {
    const played = await scene(t, { profile: profile('bare') });
    const { folder, backUp, restore, countCharges } = played;
    publish(folder, pages(0, 60));
    await planDuringOutage(played);
    backUp();
    assert.equal((await courier(folder, 'run', '--once')).code, 0);
    restore();
    for (const _ of ['the first', 'the next']) {
      const run = await courier(folder, 'run', '--once');
      assert.equal(run.code, 3, run.stderr);
      const said = `${run.stderr} ${JSON.stringify(run.records)}`;
      assert.match(said, /the account is held: the service has jobs of ours.*courier recover --account main/);
    }
    assert.equal(countCharges(), 60);
    assert.equal((await courier(folder, 'recover')).code, 0);
    assert.equal((await courier(folder, 'run', '--once')).code, 0);
    assert.equal(countCharges(), 60);
  });
});

describe('a restored copy behind jobs of others', () => {
  for (const listsFirst of ['newest', 'oldest'] as const) {
    test(`buys nothing again, and plan says why (${listsFirst} first, no project)`, async (t) => {
      const nameless: Profile = { ...profile('camel'), listsFirst, project: () => '' };
      const hidden: Profile = {
        ...nameless,
        list: (jobs, paging) => nameless.list(jobs.map(withoutProject), paging),
      };
      const { service, folder, backUp, restore, countCharges } = await scene(t, { profile: hidden });
      const buyElsewhere = (): void => {
        for (const n of pages(0, 25)) {
          const urls = [`https://other.example/${n}`];
          service.submit(`by-hand-${n}`, JSON.stringify({ urls, project: 'By hand' }));
        }
      };
      publish(folder, pages(0, 6));
      assert.equal((await courier(folder, 'run', '--once')).code, 0);
      backUp();
      if (listsFirst === 'oldest') buyElsewhere();
      publish(folder, pages(0, 46));
      const second = await courier(folder, 'run', '--once');
      assert.equal(second.code, 0, second.stderr);
      if (listsFirst === 'newest') buyElsewhere();
      restore();
      publish(folder, pages(0, 51));
      const planned = await courier(folder, 'plan');
      assert.match(`${planned.stderr} ${JSON.stringify(planned.records)}`, /the service has jobs of ours/);
      const run = await courier(folder, 'run', '--once', '--wait');
      assert.equal(run.code, 3, run.stderr);
      assert.match(run.stderr, /the service has jobs of ours/);
      assert.equal(countCharges(), 46 + 25);
    });
  }
});

const withoutProject = (job: Job): Job => ({ ...job, project: '' });

describe('a job that is partial on the way', () => {
  test('has its end, run --wait ends with it, and no contradiction is shown', async (t) => {
    const camel = profile('camel');
    let polls = 0;
    /** Partial for some polls, with open URLs; then completed, with a failed one. */
    const atPoll = (job: Job): Job => {
      const state = polls < 6 ? 'partial' : 'completed';
      return { ...job, state, failed: new Set([0]) };
    };
    const onTheWay: Profile = {
      ...camel,
      list: (jobs, paging) => camel.list(jobs.map(atPoll), paging),
      detail: (job, paging) => {
        polls += 1;
        const outcomes = ['REJECTED', ...job.urls.slice(1).map(() => (polls < 7 ? 'waiting-in-line' : 'DONE'))];
        return {
          submission: { reference: job.reference, state: atPoll(job).state.toUpperCase() },
          urls: { items: getUrlPage(job, paging).map(([link, n]) => ({ link, outcome: outcomes[n] })) },
        };
      },
    };
    const { folder } = await scene(t, { profile: onTheWay });
    publish(folder, pages(0, 5));
    const run = await courier(folder, 'run', '--once', '--wait');
    assert.match(JSON.stringify(run.records), /"completed":4\b/, `${run.code} ${run.stderr}`);
    const shown = await printCourier(folder, 'batches', 'show', '1');
    assert.match(shown, /completed/);
    assert.doesNotMatch(shown, /after it was/);
    const status = await courier(folder, 'status');
    assert.match(
      JSON.stringify(status.records),
      /"open_jobs":0\b|"jobs_open":0\b|"open":0\b/,
      JSON.stringify(status.records),
    );
  });
});

describe('index checks of a service with a shape of its own', () => {
  const settings = { watch: ['index_check: { after: 1s, every: 1h, per_day: 400 TRY }'] };

  test('are read where they are nested', async (t) => {
    const nested: Profile = {
      ...profile('camel'),
      checked: (results) => ({
        check: { charged: results.length / 2, items: results.map(({ url, found }) => ({ url, inIndex: found })) },
      }),
    };
    const { service, folder } = await scene(t, { profile: nested, jobMs: () => 0 }, settings);
    publish(folder, pages(0, 60));
    assert.equal((await courier(folder, 'run', '--once', '--wait')).code, 0);
    const checks = await courier(folder, 'index-check', '--once');
    const text = JSON.stringify(checks.records);
    assert.match(text, /"checked":60\b/, `${checks.code} ${checks.stderr} ${text}`);
    assert.match(text, /"found":30\b/);
    assert.equal(service.checks.size, 60);
  });

  test('stop after one charged response without a verdict that can be read', async (t) => {
    const unreadable: Profile = { ...profile('camel'), checked: () => ({ thanks: 'see the dashboard' }) };
    const { service, folder } = await scene(t, { profile: unreadable, jobMs: () => 0 }, settings);
    publish(folder, pages(0, 160));
    assert.equal((await courier(folder, 'run', '--once', '--wait')).code, 0);
    const checks = await courier(folder, 'index-check', '--once');
    assert.equal(checks.code, 7, checks.stderr);
    assert.match(String(ofType(checks, 'index_check')[0]?.ended_early), /none of its verdicts is known.*status_map/);
    assert.equal(service.counts.check, 1);
  });
});

describe('a price that is twice the configured one', () => {
  const settings = { account: ['price_per_url: 0.25 TRY'], watch: ['spend: { per_day: 30 TRY }'] };

  for (const name of ['camel', 'bare']) {
    test(`is noticed with the first batch, and the cap counts it (${name})`, async (t) => {
      const { service, folder } = await scene(t, { profile: profile(name), priceKurus: 50 }, settings);
      publish(folder, pages(0, 40));
      const first = await courier(folder, 'run', '--once');
      assert.equal(first.code, 0, first.stderr);
      assert.equal(service.getCharged(), 2_000, 'one batch was sent before the price was known');
      const status = await courier(folder, 'status');
      assert.equal(ofType(status, 'account')[0]?.charged_ever_micros, lira('20'));
      assert.match(await printCourier(folder, 'status'), /20\.00 TRY/);

      publish(folder, pages(0, 100));
      const second = await courier(folder, 'run', '--once');
      assert.equal(second.code, 7, second.stderr);
      assert.match(second.stderr, /leaves 10\.00 TRY, and 30\.00 TRY is needed/);
      const held = /courier approve ([^"]+)"/.exec(second.stderr)?.[1] ?? assert.fail();
      const approved = await courier(folder, 'approve', held, '--once');
      assert.equal(approved.code, 7, approved.stderr);
      assert.equal(service.getCharged(), 3_000, 'not more than the cap of the day');
    });
  }
});

describe('a page that changes and moves to another sitemap', () => {
  test('is bought once more, and only this one', async (t) => {
    const { service, folder, countCharges } = await scene(
      t,
      { profile: profile('camel'), jobMs: () => 0 },
      { watch: ['resubmit: { on_lastmod_change: true, not_within: 0s }'] },
    );
    const write = (file: string, entries: readonly (readonly [number, string])[]) =>
      writeFileSync(
        join(folder, file),
        `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries
          .map(([page, date]) => `<url><loc>${shopUrl(page)}</loc><lastmod>${date}</lastmod></url>`)
          .join('')}</urlset>`,
      );
    const configuration = join(folder, 'courier.yaml');
    writeFileSync(
      configuration,
      readFileSync(configuration, 'utf8').replace('[sitemap.xml]', '[sitemap.xml, second.xml]'),
    );
    const old = (page: number) => [page, '2026-01-01'] as const;
    write('sitemap.xml', pages(0, 10).map(old));
    write('second.xml', pages(10, 20).map(old));
    const bought = await courier(folder, 'run', '--once', '--wait');
    assert.match(JSON.stringify(bought.records), /"completed":20\b/, bought.stderr);
    write('sitemap.xml', pages(1, 10).map(old));
    write('second.xml', [...pages(10, 20).map(old), [0, '2026-02-02']]);
    const run = await courier(folder, 'run', '--once');
    assert.equal(run.code, 0, run.stderr);
    assert.equal(countCharges(), 21);
    assert.equal(service.charges.get(shopUrl(0)), 2);
  });
});

describe('a job with failed or open URLs', () => {
  const words = ['ok', 'failed', 'queued'] as const;

  test('that ends "completed" has its failed URLs bought again', async (t) => {
    let failing = true;
    const completes: Profile = {
      ...profile('bare'),
      detail: (job, paging) => ({
        status: job.state,
        url_counts: { completed: job.urls.length - (failing ? 5 : 0), failed: failing ? 5 : 0 },
        results: getUrlPage(job, paging).map(([url, n]) => ({ url, status: words[failing && n < 5 ? 1 : 0] })),
      }),
    };
    const { service, folder, countCharges } = await scene(
      t,
      { profile: completes, jobMs: () => 0 },
      { watch: ['retry_failed: { times: 1, after: 1s }'] },
    );
    publish(folder, pages(0, 20));
    const first = await courier(folder, 'run', '--once', '--wait');
    assert.match(JSON.stringify(first.records), /"failed":5\b/, first.stderr);
    failing = false;
    const second = await courier(folder, 'run', '--once', '--wait');
    assert.equal(second.code, 0, second.stderr);
    assert.equal(countCharges(), 25);
    assert.equal(service.jobs.length, 2);
  });

  test('that is "partial" on its way is followed until its URLs have ended', async (t) => {
    let polls = 0;
    const onItsWay: Profile = {
      ...profile('bare'),
      detail: (job, paging) => {
        polls += 1;
        const done = polls > 4;
        return {
          status: done ? 'completed' : 'partial',
          results: getUrlPage(job, paging).map(([url, n]) => ({ url, status: words[done || n < 10 ? 0 : 2] })),
        };
      },
    };
    const { folder, countCharges } = await scene(t, { profile: onItsWay });
    publish(folder, pages(0, 20));
    const run = await courier(folder, 'run', '--once', '--wait');
    assert.equal(run.code, 0, run.stderr);
    assert.match(JSON.stringify(run.records), /"completed":20\b/);
    assert.equal(countCharges(), 20);
  });
});

describe('recover', () => {
  test('goes on after responses that fail, and follows what is open', async (t) => {
    const { service, folder, countCharges } = await scene(t, { profile: profile('camel') });
    publish(folder, pages(0, 46));
    assert.equal((await courier(folder, 'run', '--once')).code, 0);
    for (const file of readdirSync(folder)) if (file.startsWith('ledger.db')) rmSync(join(folder, file));
    service.faults.push('error-429-before', 'drop-before', 'error-503-before', null, 'drop-before');
    const recovered = await courier(folder, 'recover');
    assert.equal(recovered.code, 0, recovered.stderr);
    const following = startCourier(folder, 'run', '--once', '--wait');
    const finishing = setInterval(() => service.finish('completed'), 200);
    t.after(() => clearInterval(finishing));
    const run = await ended(following);
    assert.equal(run.code, 0, run.stderr);
    assert.match(await printCourier(folder, 'ledger', 'show', shopUrl(0)), /completed/);
    assert.equal(countCharges(), 46);
  });
});

describe('words that are mapped after their job has ended', () => {
  /** It ends jobs as partial, and calls its URLs in words of its own. */
  const words: Profile = {
    ...profile('camel'),
    detail: (job, paging) => ({
      submission: { reference: job.reference, state: 'partial' },
      urls: getUrlPage(job, paging).map(([link, n]) => ({ link, outcome: n === 1 ? 'engellendi' : 'eklendi' })),
    }),
    list: () => ({ items: [], pagination: { page: 1, totalPages: 1 } }),
  };
  const WATCH = ['retry_failed: { times: 3, after: 1ms }'];

  test('make run read the job again, and buy again what failed', async (t) => {
    const { service, folder } = await scene(t, { profile: words }, { watch: WATCH });
    publish(folder, pages(0, 3));
    const first = await courier(folder, 'run', '--once', '--wait');
    assert.equal(first.code, 3, first.stderr);
    const unread = await courier(folder, 'status', '--check');
    assert.equal(unread.code, 3);
    assert.match(
      JSON.stringify(ofType(unread, 'problem')),
      /3 URLs of 1 job ended in words that cannot be read: .*eklendi.*engellendi.*accounts\.main\.status_map\.url/,
    );
    const why = await printCourier(folder, 'why', shopUrl('1'));
    assert.match(why, /ended partial without a result for it: the service calls URLs of it "eklendi".*status_map\.url/);
    const shown = await printCourier(folder, 'batches', 'show', '1');
    assert.match(shown, /"eklendi", "engellendi", which cannot be read/);

    const file = join(folder, 'courier.yaml');
    const map = '    status_map: { url: { completed: [eklendi], failed: [engellendi] } }';
    writeFileSync(file, readFileSync(file, 'utf8').replace('    tracking:', `${map}\n    tracking:`));
    await courier(folder, 'run', '--once', '--wait');
    const known = await courier(folder, 'batches', 'show', '1');
    assert.deepEqual(
      ofType(known, 'batch_url').map(({ result }) => result),
      ['completed', 'failed', 'completed'],
    );
    await courier(folder, 'run', '--once', '--wait');
    assert.deepEqual(
      pages(0, 3).map((n) => service.charges.get(shopUrl(n))),
      [1, 2, 1],
    );
    assert.deepEqual(service.breaches, []);
  });
});

describe('the first purchase of a process', () => {
  for (const [what, list, said] of [
    ['a rate limit of an hour', failure(429, 'SLOW_DOWN', { 'retry-after': '3600' }), /SLOW_DOWN|429/],
    ['a wrong path', html(404), /404/],
  ] as const) {
    test(`says what was last answered, when, and until when it waits: ${what}`, async (t) => {
      const me = () => (what === 'a wrong path' ? html(404) : null);
      const { folder, countCharges } = await scene(t, {
        profile: profile('camel'),
        overrides: { list: () => list, me },
      });
      publish(folder, pages(0, 3));
      const run = await courier(folder, 'run', '--once', '--timeout', '8s');
      assert.equal(run.code, 5, run.stderr);
      assert.match(run.stderr, said);
      assert.match(run.stderr, /no batch was accepted .*\(at 20\d\d-.*The next attempt is at 20\d\d-/s);
      const status = await printCourier(folder, 'status');
      assert.match(status, said);
      assert.match(status, /nothing is sent: .*\(last answer 20\d\d-.*; asked again 20\d\d-/);
      assert.equal(countCharges(), 0);
    });
  }

  test('ends with --max-time, and blames no server for it', async (t) => {
    const list = () => failure(429, 'SLOW_DOWN', { 'retry-after': '3600' });
    const { folder } = await scene(t, { profile: profile('camel'), overrides: { list } });
    publish(folder, pages(0, 3));
    const run = await courier(folder, 'run', '--once', '--max-time', '12s');
    assert.equal(run.code, 5, run.stderr);
    assert.match(run.stderr, /Stopped after 12s \(--max-time\)/);
    assert.doesNotMatch(run.stderr, /Lost the connection/);
  });
});
