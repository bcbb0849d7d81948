import { recover } from '../operator.ts';
import { onTerminal } from '../programs.ts';
import type { ActKind } from '../scenario.ts';
import type { World } from '../world.ts';
import { startSending } from './bad-moment.ts';
import { CONFIGURATION_PLAYS } from './configuration.ts';
import { DISASTER_PLAYS } from './disasters.ts';
import { MOMENTS } from './moments.ts';
import { OPERATOR_PLAYS } from './operator.ts';
import type { Play } from './play.ts';
import { startChecks, startRuns } from './runs.ts';

const MINUTE = 60_000;
/** A state that is not there by then does not come. */
const MOST_MS = 20 * MINUTE;

interface State {
  /** What the ledger has while something is in it: the rest of a SELECT. */
  readonly where: string;
  /** How it comes about. */
  readonly begin: Play;
}

/** Outages that end after a while, while a batch is sent. */
const sendDuring =
  (...outages: readonly Parameters<World['suffer']>[0][]): Play =>
  async (world, act, random) => {
    for (const outage of outages) void world.suffer(outage, (10 + Math.floor(random() * 20)) * MINUTE);
    await startSending(world, act, random);
  };

/** What each submission meets for a while. */
const meet =
  (fault: Parameters<World['meets']['set']>[1]): Play =>
  async (world, act, random) => {
    const sitemaps = [...world.scenario.watches.keys()];
    for (const sitemap of sitemaps) world.meets.set(sitemap, fault);
    world.kernel.schedule((10 + random() * 20) * MINUTE, null, () => {
      for (const sitemap of sitemaps) world.meets.delete(sitemap);
    });
    await startSending(world, act, random);
  };

/** New pages are found, and a job with pages has been completed. */
const buyFirst: Play = async (world, act, random) => {
  await startSending(world, act, random);
  await world.until(() => isIn(world, 'batch completed'), MOST_MS);
  await world.kernel.sleep(2 * MINUTE);
};

/** A gateway refuses all keys for a while. */
function refuseKeys({ accounts, refusedKeys, kernel }: World, random: () => number): void {
  for (const account of accounts) {
    refusedKeys.add(account);
    kernel.schedule((5 + random() * 20) * MINUTE, null, () => void refusedKeys.delete(account));
  }
}

/** Pages are bought, and asked for while index-checks meet this. */
const check =
  (...outages: readonly Parameters<World['suffer']>[0][]): Play =>
  async (world, act, random) => {
    await buyFirst(world, act, random);
    for (const outage of outages) void world.suffer(outage, (10 + Math.floor(random() * 20)) * MINUTE);
    await startChecks(world);
  };

/** So many pages change that a guard holds the run. */
const hold: Play = async (world, act, random) => {
  await buyFirst(world, act, random);
  for (const watch of world.scenario.watches.keys()) {
    const pages = world.site.list(watch);
    world.site.publish(watch, pages.slice(0, Math.floor(pages.length * random() * 0.4)));
  }
  await startRuns(world);
};

/** The states of batches, index-checks, runs and accounts. One that is there when an act begins has met it. */
export const STATES = {
  'batch planned': {
    where: `batches WHERE state = 'planned' AND attempts = 0`,
    begin: startSending,
  },
  'batch waits': { where: `batches WHERE state = 'planned' AND attempts > 0`, begin: sendDuring('nothing is taken') },
  'batch sent': {
    where: `batches WHERE state = 'sending' AND not_before IS NULL AND needs_lookup = 0`,
    begin: startSending,
  },
  'batch in doubt': {
    where: `batches WHERE state = 'sending' AND not_before IS NOT NULL`,
    begin: sendDuring('answers are lost'),
  },
  'batch looked up': {
    where: `batches WHERE state = 'sending' AND needs_lookup = 1`,
    begin: MOMENTS['lost, then refused'],
  },
  'batch absent once': {
    where: `batches WHERE state IN ('planned', 'sending') AND absent_at IS NOT NULL`,
    async begin(world, act, random) {
      await meet('drop-before')(world, act, random);
      await world.nextSubmission();
      for (const sitemap of world.scenario.watches.keys()) world.meets.delete(sitemap);
      void world.suffer('batches are refused', 20 * MINUTE);
    },
  },
  'batch in review': {
    where: `batches WHERE state = 'needs_review'`,
    async begin(world, act, random) {
      await meet('drop-after')(world, act, random);
      await world.nextSubmission();
      await world.kernel.sleep(5_000);
      void CONFIGURATION_PLAYS['remove watch'](world, { ...act, forMs: 30 * MINUTE }, random);
    },
  },
  'batch accepted': { where: `batches WHERE state = 'accepted' AND ended_at IS NULL`, begin: startSending },
  'batch completed': { where: `batches WHERE job_state = 'completed'`, begin: startSending },
  'batch failed': { where: `batches WHERE job_state IN ('partial', 'failed')`, begin: startSending },
  'batch refused': { where: `batches WHERE state = 'refused'`, begin: sendDuring('batches are refused') },
  'batch cancelled': {
    where: `batches WHERE state = 'cancelled'`,
    async begin(world, act, random) {
      await sendDuring('nothing is taken')(world, act, random);
      await world.until(() => isIn(world, 'batch waits'), MOST_MS);
      await OPERATOR_PLAYS['cancel batch'](world, act, random);
    },
  },
  'check planned': { where: `checks WHERE state = 'planned'`, begin: check('checks must wait') },
  'check sent': { where: `checks WHERE state = 'sending' AND not_before IS NULL`, begin: check() },
  'check in doubt': {
    where: `checks WHERE state = 'sending' AND not_before IS NOT NULL`,
    begin: check('answers to checks are lost'),
  },
  'check done': { where: `checks WHERE state = 'done'`, begin: check() },
  'check refused': { where: `checks WHERE state = 'refused'`, begin: check('checks are refused') },
  'run crawls': { where: 'runs WHERE ended_at IS NULL AND complete IS NULL', begin: (world) => startRuns(world) },
  'run held': { where: 'runs WHERE ended_at IS NULL AND held IS NOT NULL AND decision IS NULL', begin: hold },
  'run approved': { where: `runs WHERE ended_at IS NULL AND decision = 'approved'`, begin: hold },
  'run rejected': {
    where: `runs WHERE decision = 'rejected'`,
    async begin(world, act, random) {
      await hold(world, act, random);
      await world.until(() => isIn(world, 'run held'), MOST_MS);
      await OPERATOR_PLAYS.reject(world);
    },
  },
  'run buys': { where: 'runs WHERE ended_at IS NULL AND planned_at IS NOT NULL', begin: startSending },
  'run finished': { where: `runs WHERE end_state = 'finished'`, begin: startSending },
  'run incomplete': { where: 'runs WHERE complete = 0', begin: startSending },
  'run abandoned': { where: `runs WHERE end_state = 'abandoned'`, begin: startSending },
  'account sends': {
    where: `ledger_accounts AS a WHERE NOT EXISTS (SELECT 1 FROM account_stops WHERE account_id = a.id AND kind IN ('history', 'key'))`,
    begin: startSending,
  },
  'account without key': {
    where: `account_stops WHERE kind = 'key'`,
    async begin(world, act, random) {
      refuseKeys(world, random);
      await startSending(world, act, random);
    },
  },
  'account without money': {
    where: `batches WHERE state IN ('planned', 'sending') AND reason_code IN ('insufficient_balance', 'balance_short')`,
    begin: meet('payment'),
  },
  'account at a cap': {
    where: `batches WHERE state = 'planned' AND reason_code IN ('cap_reached', 'floor_short')`,
    // Planned before: a plan asks for the caps and the floor as well.
    async begin(world, act, random) {
      await sendDuring('nothing is taken')(world, act, random);
      await world.nextSubmission();
      await world.kernel.sleep(MINUTE);
      const floor = Math.max(...world.accounts.map((account) => world.readBalance(account)));
      await world.reconfigure({ floor });
      world.kernel.schedule(25 * MINUTE, null, () => void onTerminal(() => world.reconfigure({ floor: 0 })));
    },
  },
  'account refused': { where: `account_stops WHERE kind = 'refusals' AND until IS NOT NULL`, begin: meet('not found') },
  'account without list': {
    where: `account_stops WHERE kind = 'history' AND reason_params LIKE '%"list_unread"%'`,
    async begin(world, act, random) {
      void world.suffer('the list fails', (10 + Math.floor(random() * 20)) * MINUTE);
      // A process reads the list before it buys for the first time.
      await world.whileStopped(() => world.kernel.sleep(MINUTE));
      await startSending(world, act, random);
    },
  },
  'account held': {
    where: `account_stops WHERE kind = 'history' AND reason_params LIKE '%"unknown_jobs"%'`,
    async begin(world, act, random) {
      await DISASTER_PLAYS['restore ledger'](world, { ...act, forMs: MINUTE }, random);
    },
  },
  'account recovers': {
    where: `account_stops WHERE kind = 'history' AND reason_params LIKE '%"recovering"%'`,
    async begin(world) {
      await recover(world);
    },
  },
} satisfies Readonly<Record<string, State>>;

export type StateName = keyof typeof STATES;
export const STATE_NAMES = Object.keys(STATES) as StateName[];

/** What must be there for an act to do anything. */
export const BEGINS_AT: Readonly<Partial<Record<ActKind, StateName>>> = {
  approve: 'run held',
  reject: 'run held',
  'cancel batch': 'batch waits',
  'leave batch': 'batch in review',
  'release quarantine': 'batch refused',
  'resume account': 'account refused',
};

/** Whether the ledger has something in that state now. */
export const isIn = ({ stores }: World, state: StateName): boolean =>
  stores.read.ledger.prepare(`SELECT 1 FROM ${STATES[state].where} LIMIT 1`).get() !== undefined;

const LIST = `SELECT ${STATE_NAMES.map((state) => `EXISTS (SELECT 1 FROM ${STATES[state].where})`).join(', ')}`;

/** The states that something is in now. */
export function listStates({ stores }: World): readonly StateName[] {
  const row = Object.values(stores.read.ledger.prepare(LIST).get() as Record<string, number>);
  return STATE_NAMES.filter((_, n) => row[n] === 1);
}

/** Brings a state about, and waits for it; an act whose state does not come begins without it. */
const atState =
  (state: StateName): Play =>
  async (world, act, random) => {
    if (isIn(world, state)) return;
    const there = world.until(() => isIn(world, state), MOST_MS);
    await STATES[state].begin(world, act, random);
    await there;
  };

export const STATE_MOMENTS = Object.fromEntries(STATE_NAMES.map((state) => [state, atState(state)])) as Readonly<
  Record<StateName, Play>
>;
