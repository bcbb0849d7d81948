import { micros } from '../../../contract/money.ts';
import { administer } from '../../../service/accounts/administration.ts';
import { describeExecution } from '../temporal/describe-execution.ts';
import { type AccountName, SERVICE_NAMES } from './account-names.ts';
import { beginAct } from './acts/index.ts';
import { startRuns } from './acts/runs.ts';
import { compareReports } from './compare-reports.ts';
import { getAccount } from './configuration.ts';
import { findKnown } from './known/index.ts';
import type { Meeting } from './meetings.ts';
import { startOnlooker } from './onlooker.ts';
import { recover, startOperator } from './operator.ts';
import { CAP_NAMES, NO_CAPS } from './oracle/caps-rule.ts';
import { compareAudits } from './oracle/compare-audit.ts';
import { compareCharges, compareJobs } from './oracle/compare-charges.ts';
import { compareHolds } from './oracle/compare-holds.ts';
import { compareJournal } from './oracle/compare-journal.ts';
import { comparePlans } from './oracle/compare-plans.ts';
import { countEffects } from './policy-effects.ts';
import { onTerminal } from './programs.ts';
import { AMPLE, type Scenario } from './scenario.ts';
import { prepareStores } from './stores.ts';
import { World } from './world.ts';

export interface Played {
  readonly seed: number;
  readonly digest: string;
  readonly breaches: readonly string[];
  /** What known findings explain, by finding. */
  readonly known: ReadonlyMap<string, readonly string[]>;
  readonly events: number;
  /** Virtual milliseconds. */
  readonly elapsedMs: number;
  readonly charges: number;
  readonly meetings: readonly Meeting[];
  readonly happenings: ReadonlyMap<string, number>;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MOST_ROUNDS = 8;
/** How long one round may take in a good world: a lookup in the list counts a day after the doubt at the latest. */
const ROUND_MS = 72 * HOUR;
/** Twice: a run may be one that began before, and a batch may be in doubt for a day. */
const BESIDE_TROUBLE_MS = 30 * HOUR;
/** More of them mean that something goes round in a circle. */
const EVENTS_AT_MOST = 300_000;

/** Plays a scenario to its end, and compares what happened with the rules. */
export async function play(scenario: Scenario, onTrace: ((line: string) => void) | null = null): Promise<Played> {
  await prepareStores();
  const world = new World(scenario, { onTrace, findKnown });
  const { kernel, oracle } = world;
  try {
    world.start();
    for (const act of scenario.acts) kernel.schedule(act.at, null, () => beginAct(world, act));
    startOperator(world);
    startOnlooker(world);
    const isEnough = () => world.isOver || oracle.breaches.length > 0 || kernel.events >= EVENTS_AT_MOST;
    await kernel.play(isEnough, scenario.goodAt);
    if (kernel.events >= EVENTS_AT_MOST) oracle.breach(`more than ${EVENTS_AT_MOST} events in a bad world`);
    world.isGood = true;
    kernel.trace('the world is good');
    if (oracle.breaches.length === 0) await playToEnd(world);
    countEffects(world);
    const { digest, events, elapsed } = { digest: kernel.digest(), events: kernel.events, elapsed: kernel.elapsed };
    return {
      seed: scenario.seed,
      digest,
      breaches: oracle.breaches,
      known: oracle.known,
      events,
      elapsedMs: elapsed,
      charges: oracle.charges,
      meetings: world.meetings.list(),
      happenings: world.happenings.list(),
    };
  } finally {
    await world.close();
  }
}

/** When the last act is over: some have three turns, a fuse may burn for an hour, and operators wait for each other. */
const getEndOfActs = ({ acts }: Scenario): number =>
  Math.max(0, ...acts.map(({ at, forMs }) => at + 3 * forMs + 5_000_000));

/** Runs until nothing is left for another one. */
export async function playToEnd(world: World, mostEvents = EVENTS_AT_MOST): Promise<void> {
  const { kernel, oracle } = world;
  await kernel.play(() => false, Math.max(0, getEndOfActs(world.scenario) - kernel.elapsed));
  world.temporal.restart();
  const trouble = world.scenario.second?.trouble ?? null;
  if (trouble?.kind === 'key refused') world.refusedKeys.add(trouble.account);
  void onTerminal(async () => {
    for (const account of world.accounts) if (account !== trouble?.account) await topUp(world, account);
    if (!hasLimits(world)) return;
    await world.reconfigure({ caps: NO_CAPS, floor: 0, schedules: new Map() });
  });
  await kernel.play(() => false, HOUR);
  if (trouble !== null) {
    await playBesideTrouble(world, trouble.account);
    if (oracle.breaches.length > 0) return;
  }
  let isRecovered = false;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    void onTerminal(() => startRuns(world));
    await kernel.play(() => false, 10 * MINUTE);
    const until = kernel.elapsed + ROUND_MS;
    while (!isIdle(world) && kernel.elapsed < until && oracle.breaches.length === 0 && kernel.events < mostEvents) {
      await kernel.play(() => oracle.breaches.length > 0 || kernel.events >= mostEvents, 10 * MINUTE);
    }
    if (oracle.breaches.length > 0) return;
    if (!isIdle(world)) {
      const open = world.temporal.listRunning().map(describeExecution);
      oracle.breach(`still under way after ${ROUND_MS / HOUR} h without faults: ${open.join('; ')}`);
      return;
    }
    if (round > 0 && !isWorkLeft(world)) {
      if (!oracle.isCopyUncompared || isRecovered) break;
      // As the guide asks for after every restore: the connector itself compares before it spends.
      void onTerminal(() => recover(world));
      isRecovered = true;
    }
    await kernel.play(() => false, HOUR);
  }
  oracle.checkEnd(new Set(world.settings.watches.values()));
  compareCharges(world);
  compareJournal(world);
  await compareAudits(world);
  compareJobs(world);
  comparePlans(world);
  compareHolds(world);
  await compareReports(world);
}

/** Whether the configuration must change at the end. Most seeds write it again, which restarts the workers. */
function hasLimits({ scenario, settings: { caps, floor } }: World): boolean {
  return scenario.isSequence !== true || floor !== 0 || CAP_NAMES.some((name) => caps[name] !== null);
}

const topUp = (world: World, account: AccountName) =>
  administer(world.stores.service).topUp(SERVICE_NAMES[account], micros(AMPLE));

/** One account has a key that is refused, or no money: the other one buys all that it lists. Then the trouble ends. */
async function playBesideTrouble(world: World, troubled: AccountName): Promise<void> {
  const { kernel, oracle } = world;
  for (let round = 0; round < 2; round++) {
    void onTerminal(() => startRuns(world));
    await kernel.play(() => oracle.breaches.length > 0, BESIDE_TROUBLE_MS);
  }
  const sitemaps = [...world.settings.watches.values()];
  oracle.checkOthers(
    sitemaps.filter((sitemap) => getAccount(world.settings, sitemap) !== troubled),
    troubled,
  );
  world.refusedKeys.delete(troubled);
  void onTerminal(() => topUp(world, troubled));
}

const isIdle = ({ temporal }: World): boolean => temporal.listRunning().length === 0;

/** What another run would go on with: of a watch that is not configured there is none. */
function isWorkLeft({ stores, settings }: World): boolean {
  const row = stores.read.ledger
    .prepare(
      `WITH configured AS (SELECT id FROM watches WHERE name IN (SELECT value FROM json_each(?)))
       SELECT (SELECT count(*) FROM urls WHERE due IS NOT NULL AND gone_run IS NULL AND watch_id IN configured)
        + (SELECT count(*) FROM checks WHERE state IN ('planned', 'sending') AND watch_id IN configured)
        + (SELECT count(*) FROM runs AS r WHERE coalesce(r.complete, 0) = 0 AND watch_id IN configured
            AND r.id = (SELECT max(id) FROM runs WHERE watch_id = r.watch_id)) AS n`,
    )
    .get(JSON.stringify([...settings.watches.keys()])) as { n: number };
  return row.n > 0;
}
