/**
 * Services that a seed draws, each with a first run, changed pages, failures and their retries, index-checks, a lost ledger and
 * `recover`. No page is bought twice without a cause, none is left out, and the ledger has what the service charged.
 * COURIER_TEST_SEEDS=1000 plays more seeds, COURIER_TEST_SEED one alone.
 */
import assert from 'node:assert/strict';
import { describe, type TestContext } from 'node:test';
import { unwrapData } from '../../src/api-client/errors.ts';
import type { SendRequest } from '../../src/api-client/history.ts';
import { recoverAccount } from '../../src/connector/recover-account.ts';
import { sumCountedSince } from '../../src/ledger/journal/sums.ts';
import { listBatches } from '../../src/ledger/reports/lists.ts';
import type { AccountId } from '../../src/submission/ids.ts';
import type { FakeService } from '../fakes/service/fake-service.ts';
import { isFailed } from '../fakes/service/records.ts';
import { type Dialect, testOnEachDialect } from '../support/database.ts';
import { shopUrl } from '../support/ledger.ts';
import { pick, seeded } from '../support/seeded.ts';
import type { TestConnector } from '../support/test-connector.ts';
import { CHECK_FAULTS, MINUTE, openSeededScene, PASSING_FAULTS, SEEDS } from './seeded-scene.ts';

const ACCOUNT = 'main' as AccountId;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const RETRIES = 1;
const WATCH = `resubmit: { on_lastmod_change: true }, retry_failed: { times: ${RETRIES}, after: 1h }, service: standard, first_run: submit, index_check: { after: 1ms, every: 30d }`;
/** A time without a zone is read as the latest that it can mean, and a change must be later than the purchase. */
const BETWEEN_CHANGES = 2 * DAY;

/** Pages with the times at which they were published or changed. */
type Site = Map<string, number[]>;

const listPages = (site: Site) =>
  [...site].map(([page, times]) => [page, new Date(times.at(-1)!).toISOString()] as const);

async function playFaulty({ service, connector }: Scene, random: () => number, run: string): Promise<void> {
  const { until, share } = { until: 5 + Math.floor(random() * 15), share: 0.3 + random() * 0.5 };
  const outcome = await connector.play({
    steps: 400,
    before(step) {
      const faulty = step < until && random() < share;
      service.faults.splice(0, service.faults.length, ...(faulty ? [pick(random, PASSING_FAULTS)] : []));
      if (step >= until + 5) service.finish(pick(random, ['completed', 'partial', 'failed']));
    },
  });
  assert.ok(outcome.ended, `${run} never ends: ${outcome.messages.slice(-3).join(' | ')}`);
}

async function checkAll({ service, connector }: Scene, random: () => number): Promise<void> {
  for (let tries = 0; ; tries++) {
    assert.ok(tries < 60, 'the checks end');
    const faulty = tries < 10 && random() < 0.5;
    service.faults.splice(0, service.faults.length, ...(faulty ? [pick(random, CHECK_FAULTS)] : []));
    const step = await connector.check();
    if (step !== 'later' && step.kind === 'idle') return;
  }
}

async function recover({ deps, ledger }: TestConnector): Promise<boolean> {
  const send: SendRequest = async (request) => unwrapData(await deps.getApi(ACCOUNT).request('poll', request));
  const { held } = await recoverAccount({
    ...{ ledger, account: deps.getAccount(ACCOUNT), watches: [...deps.config.watches.values()], fallback: null },
    ...{ since: null, accept: false, send, signal: new AbortController().signal },
    progress: { listed: () => undefined, read: () => undefined, waiting: () => undefined },
  });
  return held;
}

/**
 * The purchases of a page beyond those that a change or a failure is the cause of, and pages whose last change nobody bought: but
 * for those that failed too often in a row, which are in quarantine.
 */
function compareWithSite({ jobs }: FakeService, site: Site) {
  const twice: string[] = [];
  const lost: string[] = [];
  for (const [page, times] of site) {
    const bought = jobs.flatMap((job) => {
      const n = job.urls.indexOf(shopUrl(page));
      return n < 0 ? [] : [{ at: job.at, failed: isFailed(job, n) }];
    });
    for (const [n, from] of times.entries()) {
      const until = times[n + 1] ?? Number.POSITIVE_INFINITY;
      const own = bought.filter(({ at }) => at >= from && at < until);
      const allowed = own.slice(0, RETRIES + 1).findIndex(({ failed }) => !failed);
      if (own.length > (allowed < 0 ? RETRIES + 1 : allowed + 1)) twice.push(page);
      const last = bought.filter(({ at }) => at < from).slice(-(RETRIES + 1));
      const isQuarantined = last.length > RETRIES && last.every(({ failed }) => failed);
      if (n === times.length - 1 && own.length === 0 && !isQuarantined) lost.push(page);
    }
  }
  return { twice, lost };
}

type Scene = Awaited<ReturnType<typeof openSeededScene>>;

async function assertBooks({ service, connector }: Scene, charged: number, chosen: string): Promise<void> {
  const { counted } = await sumCountedSince(connector.ledger.db, ACCOUNT, 0);
  assert.equal(counted, (service.getCharged() - charged) * 10_000, `the ledger has what was charged; ${chosen}`);
}

async function live(t: TestContext, dialect: Dialect, seed: number): Promise<'bought' | 'held' | 'in review'> {
  const random = seeded(seed * 15_485_863);
  const scene = await openSeededScene(t, dialect, seed, WATCH, 'price_per_url: 0.20 TRY');
  const { service, profile, connector } = scene;
  const chosen = JSON.stringify(profile.chosen);
  const site: Site = new Map();
  const publish = (from: number, to: number) => {
    for (let n = from; n < to; n++) site.set(`%C3%BCr%C3%BCn/${n}?a=1&b=%20`, [connector.now() - DAY / 2]);
  };
  const change = (share: number, { now }: TestConnector) => {
    for (const times of site.values()) if (random() < share) times.push(now() - DAY / 2);
  };

  publish(0, 6 + Math.floor(random() * 6));
  await connector.plan('first', listPages(site));
  await playFaulty(scene, random, 'the first run');
  connector.pass(BETWEEN_CHANGES);
  change(0.4, connector);
  publish(20, 21 + Math.floor(random() * 4));
  await connector.plan('changed', listPages(site));
  await playFaulty(scene, random, 'the run of the change');
  connector.pass(BETWEEN_CHANGES);
  await connector.plan('retries', listPages(site));
  await playFaulty(scene, random, 'the run of the retries');
  await checkAll(scene, random);
  service.faults.length = 0;
  const inReview = (await listBatches(connector.ledger)).filter(({ state }) => state === 'needs_review');
  assert.deepEqual(service.breaches, [], chosen);
  if (inReview.length > 0) {
    assert.deepEqual(compareWithSite(service, site).twice, [], chosen);
    t.diagnostic(`needs review: ${inReview.map(({ reason }) => reason).join(' | ')} ${chosen}`);
    return 'in review';
  }
  assert.deepEqual(compareWithSite(service, site), { twice: [], lost: [] }, chosen);
  await assertBooks(scene, 0, chosen);

  const [jobs, charged] = [service.jobs.length, service.getCharged()];
  const fresh = await scene.connect();
  fresh.pass(BETWEEN_CHANGES);
  const held = await recover(fresh);
  assert.equal(held, profile.chosen.URLs === 'none', `held where no job shows its URLs; ${chosen}`);
  await fresh.plan('nothing', listPages(site));
  const outcome = await fresh.play({ steps: 100, before: () => service.finish('completed') });
  if (held) {
    assert.equal(service.jobs.length, jobs, `nothing is bought; ${chosen}`);
    return 'held';
  }
  assert.ok(outcome.ended, chosen);
  fresh.pass(BETWEEN_CHANGES);
  change(0.4, fresh);
  site.set('%C3%BCr%C3%BCn/new', [fresh.now() - DAY / 2]);
  await fresh.plan('after', listPages(site));
  await fresh.play({ steps: 100, before: () => service.finish('completed') });
  assert.deepEqual(compareWithSite(service, site), { twice: [], lost: [] }, `after the recovery; ${chosen}`);
  assert.ok(service.getCharged() > charged);
  return 'bought';
}

describe('a service with a random profile', () => {
  const lives = { bought: 0, held: 0, 'in review': 0 };
  for (const seed of SEEDS) {
    testOnEachDialect(
      `seed ${seed}: a lost ledger is recovered, and no page is bought twice or lost`,
      async (t, dialect) => {
        lives[await live(t, dialect, seed)] += 1;
        t.diagnostic(JSON.stringify(lives));
      },
    );
  }
});
