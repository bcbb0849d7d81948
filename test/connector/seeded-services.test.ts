/**
 * The connector's activities against services that keep the specification and share nothing else with ours, by seed:
 * other names, shapes, words, dates, money, encodings and references, keys that expire, a list that lags, and a network
 * that breaks. Each URL is charged once. COURIER_UNFAMILIAR=1000 plays more seeds, COURIER_UNFAMILIAR_SEED one alone.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listBatches } from '../../src/ledger/reports/lists.ts';
import { failed, toProfile } from '../fakes/unfamiliar-manners.ts';
import { type NetworkFault, startUnfamiliarService } from '../fakes/unfamiliar-service.ts';
import { pick, seeded } from '../support/seeded.ts';
import { createTestConnector, KEY } from '../support/test-connector.ts';

const MINUTE = 60_000;
const PRICE_KURUS = 20;
const FAULTS: readonly NetworkFault[] = [
  'drop-before',
  'drop-after',
  'cut-after',
  'page-200-after',
  'page-502-after',
  'error-500-after',
  'error-503-before',
  'error-429-before',
  'empty-200-after',
  'slow-commit',
];
/** Keys live an hour here and are trusted for fifty minutes; the list is half a minute late, and asked again after one. */
const TIMES = { keyLifeMs: 60 * MINUTE, listLagMs: MINUTE / 2 };
const ACCOUNT =
  'reconcile: { after: 50m, confirm_after: 1m }, tracking: { standard: { first: 1m, min: 1m, max: 5m, growth: 1.5, timeout: 60d } }';
const WATCH =
  'retry_failed: { times: 0 }, service: standard, first_run: submit, index_check: { after: 1ms, every: 30d }';

const one = process.env.COURIER_UNFAMILIAR_SEED;
const seeds =
  one === undefined
    ? Array.from({ length: Number(process.env.COURIER_UNFAMILIAR ?? 24) }, (_, n) => n + 1)
    : [Number(one)];

/** A service of the seed's making, and the connector that meets it: both by the connector's clock. */
async function meeting(t: Pick<TestContext, 'after'>, seed: number) {
  let now = () => 0;
  const service = await startUnfamiliarService({
    seed,
    apiKey: KEY,
    now: () => now(),
    priceKurus: PRICE_KURUS,
    ...TIMES,
  });
  t.after(() => service.close());
  const { profile } = service;
  const account = [ACCOUNT, ...(profile.account === '' ? [] : [profile.account])].join(', ');
  const connector = await createTestConnector(t, { baseUrl: service.baseUrl, account, watch: WATCH });
  now = connector.now;
  return { service, connector };
}

async function played(t: Pick<TestContext, 'after'>, seed: number) {
  const random = seeded(seed * 7_919);
  const { service, connector } = await meeting(t, seed);
  const pages: string[] = [];
  for (let night = 1; night <= 3; night++) {
    const more = 1 + Math.floor(random() * 12);
    for (let n = 0; n < more; n++) pages.push(`ürün/${night}-${n}?a=1&b=%20`);
    await connector.plan(`night-${night}`, pages);
    const storm = { until: 5 + Math.floor(random() * 25), share: 0.4 + random() * 0.55 };
    const outcome = await connector.play({
      steps: 400,
      before(step) {
        const stormy = step < storm.until && random() < storm.share;
        service.faults.splice(0, service.faults.length, ...(stormy ? [pick(random, FAULTS)] : []));
        // Long silences: keys expire, clocks move.
        if (step < storm.until && random() < 0.4) connector.pass(pick(random, [10, 55, 90, 600]) * MINUTE);
        if (step >= storm.until + 5) service.finish(pick(random, ['completed', 'partial', 'failed']));
      },
    });
    assert.ok(outcome.ended, `night ${night} goes on for ever: ${outcome.said.slice(-3).join(' | ')}`);
  }
  return { service, connector, pages };
}

for (const seed of seeds) {
  test(`seed ${seed}: each URL is charged once`, async (t) => {
    const { service, connector, pages } = await played(t, seed);
    const profile = JSON.stringify(service.profile.chosen);
    const batches = await listBatches(connector.ledger);
    const stopped = batches.filter(({ state }) => state === 'needs_review');
    const paid = [...service.charges.values()];
    assert.deepEqual(
      paid.filter((times) => times !== 1),
      [],
      `charged more than once; ${profile}`,
    );
    for (const [key, bodies] of service.bodies) assert.equal(bodies.size, 1, `key ${key} with two bodies`);
    for (const { reason } of stopped) assert.ok(reason !== null && reason.length > 30, 'a stop says why');
    const waiting = stopped.reduce((sum, { urls }) => sum + urls, 0);
    assert.ok(paid.length + waiting >= pages.length, `${pages.length - paid.length} URLs are nowhere; ${profile}`);
    assert.ok(
      batches.every(({ state }) => state === 'accepted' || state === 'needs_review'),
      profile,
    );
    if (stopped.length > 0) t.diagnostic(`stopped: ${stopped.map(({ reason }) => reason).join(' | ')} ${profile}`);
    for (const batch of batches.filter(({ state }) => state === 'accepted')) {
      assert.ok(batch.endedAt !== null, `${batch.reference} was followed to its end; ${batch.jobState}; ${profile}`);
      const cost = batch.urls * PRICE_KURUS * 10_000;
      assert.ok(batch.charge === null || batch.charge === cost, `${batch.charge} is not ${cost}; ${profile}`);
    }
    if (profile.includes('"URLs":"none"')) return;
    for (const job of service.jobs) {
      const batch = batches.find(({ reference, state }) => reference === job.reference && state === 'accepted');
      const lost = job.urls.filter((_, n) => failed(job, n)).length;
      if (batch !== undefined)
        assert.deepEqual([batch.failed, batch.completed], [lost, job.urls.length - lost], profile);
    }
  });
}

test('a service that tells neither charge nor price: both are learned from the balance around the first batch', async (t) => {
  const seed = Array.from({ length: 500 }, (_, n) => n + 1).find((n) => toProfile(n).chosen.charge === 'nothing')!;
  let now = () => 0;
  const service = await startUnfamiliarService({
    seed,
    apiKey: KEY,
    now: () => now(),
    priceKurus: PRICE_KURUS,
    ...TIMES,
  });
  t.after(() => service.close());
  const connector = await createTestConnector(t, { baseUrl: service.baseUrl, watch: WATCH });
  now = connector.now;
  await connector.plan('night-1', ['1', '2', '3']);
  await connector.play({ sendOnly: true });
  await connector.plan('night-2', ['1', '2', '3', '4']);
  await connector.play({ sendOnly: true });
  const charges = (await listBatches(connector.ledger)).map(({ charge, expectedCost }) => [charge, expectedCost]);
  assert.deepEqual(charges, [
    [200_000, 200_000],
    [600_000, null],
  ]);
  assert.equal(service.balanceAsked(), 2, 'once before and once after the first batch');
});

for (const seed of seeds.slice(0, 10)) {
  test(`seed ${seed}: each URL is checked once, through lost answers, and its verdict is read`, async (t) => {
    const random = seeded(seed * 104_729);
    const { service, connector } = await meeting(t, seed);
    const pages = Array.from({ length: 70 }, (_, n) => `ürün/${n}`);
    await connector.plan('night-1', pages);
    await connector.play({ steps: 100, before: () => service.finish('completed') });
    connector.pass(MINUTE);
    let found = 0;
    for (let tries = 0; ; tries++) {
      assert.ok(tries < 60, 'the checks come to an end');
      const stormy = tries < 20 && random() < 0.6;
      service.faults.splice(0, service.faults.length, ...(stormy ? [pick(random, FAULTS)] : []));
      const turn = await connector.check();
      if (turn === 'later') continue;
      if (turn.kind === 'idle') break;
      if (turn.kind === 'checked') found += turn.found;
    }
    const times = [...service.checks.values()];
    assert.deepEqual([times.length, times.filter((each) => each !== 1).length], [pages.length, 0]);
    assert.equal(found, pages.length / 2, JSON.stringify(service.profile.chosen));
  });
}
