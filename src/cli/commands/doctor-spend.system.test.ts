import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import {
  type FakeService,
  type FakeServiceOptions,
  startFakeService,
} from '../../../test/fakes/service/fake-service.ts';
import { SHOWS_URLS } from '../../../test/fakes/service/profile.ts';
import { courier, ended, folderFor, ofType, publish, startCourier } from '../../../test/support/cli.ts';
import { shopUrl } from '../../../test/support/ledger.ts';

const KEY = 'key-of-a-service-to-try';
const PAGE = shopUrl('b');

async function openScene(
  t: TestContext,
  { account = 'price_per_url: 0.25 TRY', ...options }: FakeServiceOptions & { account?: string } = {},
) {
  const service = await startFakeService(t, { profile: SHOWS_URLS, apiKey: KEY, jobMs: () => 300, ...options });
  const settings = ['tracking: { fast: { first: 200ms, min: 200ms, max: 400ms } }', account].filter(Boolean).join(', ');
  const folder = folderFor(
    t,
    () => `version: 1
accounts:
  main: { base_url: "${service.baseUrl}", api_key: { file: key }, ${settings} }
watches:
  shop: { account: main, project: Shop, service: fast, sitemaps: [sitemap.xml], hosts: [shop.example], first_run: submit }
ledger: { url: "sqlite:ledger.db" }
`,
  );
  writeFileSync(join(folder, 'key'), KEY, { mode: 0o600 });
  publish(folder, ['a', 'b', 'c']);
  return { service, folder };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

const spend = (folder: string, amount = '1TRY', page: string = PAGE, ...more: string[]) =>
  courier(folder, 'doctor', '--learn', '--spend', amount, '--page', page, ...more);

describe('courier doctor --learn --spend', () => {
  test('buys that page alone, once, and shows what was read of its purchase and of its job', async (t) => {
    const { service, folder } = await openScene(t);
    const tried = await spend(folder);
    assert.equal(tried.code, 0, tried.stderr);
    assert.deepEqual([...service.charges], [[PAGE, 1]]);
    const [trial] = ofType(tried, 'trial');
    assert.deepEqual(
      [trial?.reference, trial?.job_state, trial?.charge_micros, trial?.in_doubt],
      ['R-1', 'completed', 250_000, false],
    );
    const [[key, [body]]] = [...service.bodies] as [[string, string[]]];
    assert.deepEqual([trial?.idempotency_key, trial?.request], [key, body], 'what was asked');
    const readings = ofType(tried, 'reading');
    const from = (request: string, value: string) =>
      readings.find((each) => each.request === request && each.value === value)?.path;
    assert.equal(from('POST /submissions', 'charge'), 'data.charged');
    assert.equal(from('GET /submissions/{reference}', 'url_state'), 'data.urls[0].status');
    const again = await spend(folder);
    assert.equal(again.code, 3, again.stderr);
    assert.match(again.stderr, /is not due: .*Nothing was bought/);
    const rest = await courier(folder, 'run', '--once');
    assert.equal(rest.code, 0, rest.stderr);
    assert.deepEqual([...service.charges.values()], [1, 1, 1], 'the next run buys the others');
    assert.deepEqual(service.breaches, []);
  });

  /** Carries out each purchase and loses the response, while `loses` says so. */
  const loseResponses = (service: () => FakeService, loses: (n: number) => boolean): FakeServiceOptions => ({
    overrides: {
      post(n) {
        if (loses(n)) service().faults.unshift('drop-after');
        return null;
      },
    },
  });

  test('repeats the same key when the response is lost', async (t) => {
    const scene: Scene = await openScene(
      t,
      loseResponses(
        () => scene.service,
        (n) => n === 1,
      ),
    );
    const { service, folder } = scene;
    const tried = await spend(folder);
    assert.equal(tried.code, 0, tried.stderr);
    assert.equal(service.counts.post, 2);
    assert.deepEqual([[...service.charges], service.bodies.size, service.breaches], [[[PAGE, 1]], 1, []]);
  });

  test('says that it may be charged while no response comes, and buys nothing more', async (t) => {
    let loses = true;
    const scene: Scene = await openScene(
      t,
      loseResponses(
        () => scene.service,
        () => loses,
      ),
    );
    const { service, folder } = scene;
    const waiting = startCourier(folder, 'doctor', '--learn', '--spend', '1TRY', '--page', PAGE);
    waiting.stderr?.on('data', (said) => {
      if (/The response was lost, so it may be charged: the same request is repeated/.test(String(said)))
        waiting.kill('SIGINT');
    });
    const stopped = await ended(waiting);
    assert.equal(stopped.code, 130, stopped.stderr);
    const again = await spend(folder);
    assert.equal(again.code, 9, again.stderr);
    assert.match(
      again.stderr,
      /its response was lost: it may have been charged\. Nothing was bought\. "courier run --once/,
    );
    loses = false;
    const rest = await courier(folder, 'run', '--once', '--wait');
    assert.equal(rest.code, 0, rest.stderr);
    assert.deepEqual([service.charges.get(PAGE), service.breaches], [1, []]);
  });

  for (const [what, options, amount, page, code, says] of [
    ['a price above the amount', {}, '0.10TRY', PAGE, 7, /costs 0\.25 TRY, more than 0\.10 TRY\. Nothing was bought/],
    ['a price that nobody knows', { account: '' }, '1TRY', PAGE, 7, /price of a URL is not known.*price_per_url/],
    ['a page that no sitemap lists', {}, '1TRY', shopUrl('z'), 3, /no sitemap of shop lists it\. Nothing was bought/],
    ['a page of no watch', {}, '1TRY', 'https://other.example/', 2, /No watch has/],
    [
      'a floor',
      { account: 'price_per_url: 0.25 TRY, spend: { balance_floor: 999999 TRY }', balanceKurus: 10_000 },
      '1TRY',
      PAGE,
      7,
      /may not be bought now/,
    ],
  ] as const)
    test(`buys nothing for ${what}`, async (t) => {
      const { service, folder } = await openScene(t, options);
      const tried = await spend(folder, amount, page);
      assert.deepEqual([tried.code, service.counts.post, service.charges.size], [code, 0, 0], tried.stderr);
      assert.match(tried.stderr, says);
    });

  test('buys nothing without a page, with jobs that the ledger does not know, and with a rejected key', async (t) => {
    const { service, folder } = await openScene(t);
    const nameless = await courier(folder, 'doctor', '--learn', '--spend', '1TRY');
    assert.deepEqual([nameless.code, service.requests.length], [2, 0], nameless.stderr);
    service.submit('by-hand-1', JSON.stringify({ urls: [shopUrl('a')], project: 'Shop' }));
    const held = await spend(folder);
    assert.deepEqual([held.code, service.posts.length], [3, 0], held.stderr);
    assert.match(held.stderr, /does not know.*Nothing was bought/);
    service.setKeyWorks(false);
    const stopped = await spend(folder);
    assert.deepEqual([stopped.code, service.posts.length], [6, 0], stopped.stderr);
  });
});
