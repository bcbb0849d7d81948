/**
 * The connector's activities against services that keep the specification and share nothing else with ours, by seed:
 * other names, shapes, states, dates, money, encodings and references, keys that expire, a list that lags, and a network
 * that breaks. Each URL is charged once. COURIER_TEST_SEEDS=1000 plays more seeds, COURIER_TEST_SEED one alone.
 */
import assert from 'node:assert/strict';
import { describe, type TestContext } from 'node:test';
import { listBatches } from '../../src/ledger/reports/lists.ts';
import { createSeededProfile } from '../fakes/service/profiles/seeded.ts';
import { isFailed } from '../fakes/service/records.ts';
import { type Dialect, testOnEachDialect } from '../support/database.ts';
import { pick, seeded } from '../support/seeded.ts';
import { CHECK_FAULTS, MINUTE, openSeededScene, PASSING_FAULTS, PRICE_KURUS, SEEDS } from './seeded-scene.ts';

const WATCH =
  'retry_failed: { times: 0 }, service: standard, first_run: submit, index_check: { after: 1ms, every: 30d }';
const openScene = (t: TestContext, dialect: Dialect, seed: number) => openSeededScene(t, dialect, seed, WATCH);

async function play(t: TestContext, dialect: Dialect, seed: number) {
  const random = seeded(seed * 7_919);
  const { service, profile, connector } = await openScene(t, dialect, seed);
  const pages: string[] = [];
  for (let run = 1; run <= 3; run++) {
    const more = 1 + Math.floor(random() * 12);
    for (let n = 0; n < more; n++) pages.push(`ürün/${run}-${n}?a=1&b=%20`);
    await connector.plan(`run-${run}`, pages);
    const faultWindow = { until: 5 + Math.floor(random() * 25), share: 0.4 + random() * 0.55 };
    const outcome = await connector.play({
      steps: 400,
      before(step) {
        const faulty = step < faultWindow.until && random() < faultWindow.share;
        service.faults.splice(0, service.faults.length, ...(faulty ? [pick(random, PASSING_FAULTS)] : []));
        // Long pauses: keys expire.
        if (step < faultWindow.until && random() < 0.4) connector.pass(pick(random, [10, 55, 90, 600]) * MINUTE);
        if (step >= faultWindow.until + 5) service.finish(pick(random, ['completed', 'partial', 'failed']));
      },
    });
    assert.ok(outcome.ended, `run ${run} never ends: ${outcome.messages.slice(-3).join(' | ')}`);
  }
  return { service, connector, pages, chosen: JSON.stringify(profile.chosen) };
}

describe('submissions to a service with a random profile', () => {
  for (const seed of SEEDS) {
    testOnEachDialect(`seed ${seed}: each URL is charged once`, async (t, dialect) => {
      const { service, connector, pages, chosen } = await play(t, dialect, seed);
      const batches = await listBatches(connector.ledger);
      const inReview = batches.filter(({ state }) => state === 'needs_review');
      const paid = [...service.charges.values()];
      assert.deepEqual(
        paid.filter((times) => times !== 1),
        [],
        `charged more than once; ${chosen}`,
      );
      assert.deepEqual(service.breaches, [], chosen);
      for (const { reason } of inReview)
        assert.ok(reason !== null && reason.length > 30, 'a batch that needs review says why');
      const waiting = inReview.reduce((sum, { urls }) => sum + urls, 0);
      assert.ok(paid.length + waiting >= pages.length, `${pages.length - paid.length} URLs are nowhere; ${chosen}`);
      assert.ok(
        batches.every(({ state }) => state === 'accepted' || state === 'needs_review'),
        chosen,
      );
      if (inReview.length > 0)
        t.diagnostic(`needs review: ${inReview.map(({ reason }) => reason).join(' | ')} ${chosen}`);
      for (const batch of batches.filter(({ state }) => state === 'accepted')) {
        assert.ok(batch.endedAt !== null, `${batch.reference} was tracked to its end; ${batch.jobState}; ${chosen}`);
        const cost = batch.urls * PRICE_KURUS * 10_000;
        assert.ok(batch.charge === null || batch.charge === cost, `${batch.charge} is not ${cost}; ${chosen}`);
      }
      if (chosen.includes('"URLs":"none"')) return;
      for (const job of service.jobs) {
        const batch = batches.find(({ reference, state }) => reference === job.reference && state === 'accepted');
        const lost = job.urls.filter((_, n) => isFailed(job, n)).length;
        if (batch !== undefined)
          assert.deepEqual([batch.failed, batch.completed], [lost, job.urls.length - lost], chosen);
      }
    });
  }

  testOnEachDialect(
    'a service that reports neither charge nor price: both are learned from the balance around each batch',
    async (t, dialect) => {
      const seed = Array.from({ length: 500 }, (_, n) => n + 1).find(
        (n) => createSeededProfile(n).chosen.charge === 'nothing',
      )!;
      const { service, connector } = await openScene(t, dialect, seed);
      await connector.plan('run-1', ['1', '2', '3']);
      await connector.play({ sendOnly: true });
      await connector.plan('run-2', ['1', '2', '3', '4']);
      await connector.play({ sendOnly: true });
      const charges = (await listBatches(connector.ledger)).map(({ charge, expectedCost }) => [charge, expectedCost]);
      assert.deepEqual(charges, [
        [200_000, 200_000],
        [600_000, null],
      ]);
      assert.equal(service.counts.balance, 3, 'before the first batch, and after each');
    },
  );
});

describe('index-checks by a service with a random profile', () => {
  for (const seed of SEEDS.slice(0, 10)) {
    testOnEachDialect(
      `seed ${seed}: each URL is checked once despite lost responses, and its result is read`,
      async (t, dialect) => {
        const random = seeded(seed * 104_729);
        const { service, profile, connector } = await openScene(t, dialect, seed);
        const pages = Array.from({ length: 70 }, (_, n) => `ürün/${n}`);
        await connector.plan('run-1', pages);
        await connector.play({ steps: 100, before: () => service.finish('completed') });
        connector.pass(MINUTE);
        let found = 0;
        for (let tries = 0; ; tries++) {
          assert.ok(tries < 60, 'the checks end');
          const faulty = tries < 20 && random() < 0.6;
          service.faults.splice(0, service.faults.length, ...(faulty ? [pick(random, CHECK_FAULTS)] : []));
          const step = await connector.check();
          if (step === 'later') continue;
          if (step.kind === 'idle') break;
          if (step.kind === 'checked') found += step.found;
        }
        const times = [...service.checks.values()];
        assert.deepEqual([times.length, times.filter((each) => each !== 1).length], [pages.length, 0]);
        assert.equal(found, pages.length / 2, JSON.stringify(profile.chosen));
      },
    );
  }
});
