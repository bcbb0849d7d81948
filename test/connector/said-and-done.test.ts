/** What a held run says (pages, amount, reason, next step), and what then happens: random accounts, caps, guards and acts. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Micros, micros } from '../../contract/money.ts';
import { describeHeld } from '../../src/cli/output/held.ts';
import { EXIT } from '../../src/cli-kit/exit-codes.ts';
import { recordBalance } from '../../src/ledger/money/balance.ts';
import type { PlanInput } from '../../src/ledger/plans/allowance.ts';
import { judgeRun } from '../../src/ledger/plans/judge-run.ts';
import { planRun } from '../../src/ledger/plans/make-plan.ts';
import { releaseCovered } from '../../src/ledger/plans/release-covered.ts';
import { surveyDue } from '../../src/ledger/plans/survey-due.ts';
import { decideRun } from '../../src/ledger/runs/decide-run.ts';
import type { RunHold } from '../../src/ledger/runs/run-hold.ts';
import { endRun, getRun } from '../../src/ledger/runs/runs.ts';
import type { AccountId, RunId, WatchId } from '../../src/submission/ids.ts';
import { ACCOUNT, completeRun, crawled, DAY, NO_GUARD, type TestLedger, testLedger, WATCH } from '../support/ledger.ts';
import { pick, seeded } from '../support/seeded.ts';

const DECISIONS = { sqlite: 1_000, postgres: 100 };
const SITEMAP = 'https://shop.example/sitemap.xml';
const lira = (amount: number): Micros => micros(Math.round(amount * 1_000_000));

interface World {
  readonly ledger: TestLedger;
  readonly random: () => number;
  readonly run: RunId;
  readonly input: PlanInput;
  /** What the service says when it is asked. */
  balance: Micros;
}

const refreshOf =
  ({ ledger, input, balance }: World) =>
  () =>
    recordBalance(ledger, input.account.id, balance);

const release = (world: World, input: PlanInput = world.input) =>
  releaseCovered(world.ledger, world.run, input, refreshOf(world));

/** A run over 1 to 30 new pages, after one that knew a page, for an account with settings of its own. */
async function openWorld(ledger: TestLedger, seed: number): Promise<World & { readonly held: RunHold | null }> {
  const random = seeded(seed);
  const cap = () => (random() < 0.3 ? lira(pick(random, [0.5, 1, 2.5, 5, 20])) : null);
  const price = pick(random, [lira(0.25), lira(0.5), null]);
  const account = {
    ...ACCOUNT,
    id: `account-${seed}` as AccountId,
    pricePerUrl: { standard: price, fast: price },
    spend: { perDay: cap(), perMonth: cap(), balanceFloor: pick(random, [lira(0), lira(10)]) },
  };
  const watch = {
    ...WATCH,
    id: `watch-${seed}` as WatchId,
    spend: { perRun: cap(), perDay: cap(), perMonth: cap() },
  };
  const of = { watch: watch.id, account: account.id, firstRun: 'baseline' as const };
  await completeRun(ledger, `first-${seed}`, { [SITEMAP]: ['0'] }, of);
  const input = { account, watch };
  const world: World = {
    ledger,
    random,
    input,
    run: `run-${seed}` as RunId,
    balance: lira(pick(random, [0, 10, 12, 100])),
  };
  if (random() < 0.5) await recordBalance(ledger, account.id, lira(pick(random, [0, 10, 11, 1_000])));
  const pages = Array.from({ length: 1 + Math.floor(random() * 30) }, (_, page) => `p${page}`);
  await crawled(ledger, world.run, { [SITEMAP]: ['0', ...pages] }, of);
  const guard = { ...NO_GUARD, maxNew: random() < 0.4 ? 5 : null };
  const held = await judgeRun(ledger, world.run, guard, { input, refresh: refreshOf(world) });
  return { ...world, held };
}

async function countDue({ ledger, run, input }: World): Promise<number> {
  const { watch_id: id } = await getRun(ledger.db, run);
  return (await surveyDue(ledger.db, id, input.watch, ledger.now())).total;
}

const uncapped = ({ account, watch }: PlanInput): PlanInput => ({
  account: { ...account, spend: { ...account.spend, perDay: null, perMonth: null } },
  watch: { ...watch, spend: { perRun: null, perDay: null, perMonth: null } },
});

/** Does what the sentence says, and expects that the run goes on with all that was shown. */
async function follow(world: World, remedy: string, { reasons, forecast }: RunHold): Promise<void> {
  const { ledger, run, input } = world;
  let next = input;
  if (remedy.startsWith('Top up')) world.balance = lira(1_000);
  else if (remedy.startsWith('Set price_per_url'))
    next = { ...input, account: { ...input.account, pricePerUrl: { standard: lira(0.01), fast: lira(0.01) } } };
  else if (remedy.includes('wait for the next day') && world.random() < 0.5) ledger.pass(DAY);
  else next = uncapped(input);
  // Behind one limit there may be another, which is then the one that is said.
  const others = next === input ? uncapped(input) : next;
  if (!(await release(world, next))) {
    world.balance = lira(1_000);
    assert.ok(await release(world, others), `after "${remedy}" (${reasons[0]?.code}) it goes on`);
    next = others;
  }
  const plan = await planRun(ledger, run, next);
  assert.deepEqual([plan.urls, plan.held], [forecast.urls, 0], `${remedy}: all that was shown`);
}

/** Plays one decision, and says which kind it was. */
async function play(ledger: TestLedger, seed: number): Promise<string> {
  const world = await openWorld(ledger, seed);
  const { random, run, input, held } = world;
  const due = await countDue(world);
  try {
    if (held === null) {
      const plan = await planRun(ledger, run, input);
      assert.deepEqual([plan.urls, plan.held], [due, 0], 'what is not held is bought');
      return 'not held';
    }
    const { forecast } = held;
    const { remedy, exitCode, question } = describeHeld(held);
    assert.equal(forecast.urls, due, 'the pages');
    assert.match(question, new RegExp(`${due} URLs?,`));
    assert.equal(exitCode, remedy === null ? EXIT.guard : EXIT.balanceOrCap);
    assert.equal(await release(world), false, 'it does not go on before anything has changed');
    const act = pick(
      random,
      remedy === null ? ['approve', 'reject', 'wait', 'higher price'] : ['approve', 'reject', 'remedy', 'higher price'],
    );
    if (act === 'remedy' && remedy !== null) await follow(world, remedy, held);
    if (act === 'wait') {
      world.balance = lira(10_000);
      assert.equal(await release(world, uncapped(input)), false, 'money does not answer a guard');
    }
    if (act === 'reject') {
      await decideRun(ledger, run, 'rejected', 'operator');
      assert.equal(await countDue(world), due, 'its pages stay due');
    }
    if (act === 'approve' || act === 'higher price') {
      await decideRun(ledger, run, 'approved', 'operator');
      const times = act === 'higher price' ? 3 : 1;
      const { standard } = input.account.pricePerUrl;
      const price = standard === null ? null : micros(standard * times);
      const account = { ...input.account, pricePerUrl: { standard: price, fast: price } };
      const plan = await planRun(ledger, run, { ...input, account });
      assert.ok(plan.urls <= forecast.urls, 'no more pages than were shown');
      assert.ok(forecast.cost === null || (plan.cost ?? 0) <= forecast.cost, 'no more money than was shown');
      assert.equal(plan.urls + plan.held, due, 'the rest stays due');
      assert.equal(plan.held > 0, plan.heldReason !== null, 'with its reason');
      if (act === 'approve') assert.equal(plan.urls, forecast.allowed, 'what was said to fit now');
    }
    return `${remedy === null ? 'guard' : held.reasons[0]?.code}: ${act}`;
  } finally {
    await endRun(ledger, run, 'finished');
  }
}

describe('what is said of a held run', () => {
  testLedger('is what happens, in random worlds', async (ledger) => {
    const kinds = new Map<string, number>();
    for (let seed = 1; seed <= DECISIONS[ledger.db.dialect]; seed++) {
      const kind = await play(ledger, seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
      });
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    if (process.env.SAID_KINDS) console.log(kinds);
    for (const kind of [
      'guard: approve',
      'floor_short: remedy',
      'cap_reached: remedy',
      'cap_reached: approve',
      'not held',
    ])
      assert.ok((kinds.get(kind) ?? 0) > 0, `no world with "${kind}"`);
  });
});
