import { WRONG_KEY_VARIABLE } from '../account-names.ts';
import { NEW_ADDRESS, OTHER_SERVICE } from '../addresses.ts';
import { AMPLE, type Scenario } from '../scenario.ts';
import type { World } from '../world.ts';
import type { ACT_NAMES } from './index.ts';
import type { StateName } from './states.ts';

/** What there was before an act. */
export interface Before {
  readonly pages: string;
  readonly balance: number;
  readonly key: string | undefined;
  readonly settings: World['settings'];
}

/** How the world shows that an act has happened: a line of its trace behind the act, or what is so at some time. */
type Effect = RegExp | ((world: World, before: Before) => boolean);

/** An act's effect, and what the made world needs besides what a paired seed gives the act. */
interface Shown {
  readonly effect: Effect;
  readonly world?: Partial<Scenario>;
  readonly moment?: StateName;
  /** An act that follows, whose requests meet what this one has changed. */
  readonly next?: 'check';
}

export const noteBefore = (world: World): Before => ({
  pages: readPages(world),
  balance: world.readBalance('main'),
  key: readKey(world),
  settings: world.settings,
});

/** What all sitemaps list now. */
export const readPages = ({ site, scenario }: World): string =>
  JSON.stringify([...scenario.watches.keys()].map((name) => site.list(name)));

const readKey = ({ settings }: World): string | undefined => process.env[settings.places.main.keyVariable];

const has = ({ stores }: World, table: string): boolean =>
  stores.read.ledger.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;

const decided =
  (decision: string): Effect =>
  (world) =>
    has(world, `runs WHERE decision = '${decision}'`);

const pagesChange: Shown = { effect: (world, { pages }) => readPages(world) !== pages };
const newKey: Shown = { effect: (world, { key }) => ![key, undefined].includes(readKey(world)) };
const shown = (path: RegExp): Shown => ({ effect: new RegExp(`${path.source}\\S*( \\S+)? alter$`) });
const acceptance = shown(/POST \/api\/v1\/submissions/);

/** Each act of the program: one that is new is missing here, and the types say so. */
export const SHOWN: Readonly<Record<(typeof ACT_NAMES)[number], Shown>> = {
  run: { effect: /^\S+ watch\/\S+\/w0\/run-1 COMPLETED/ },
  check: { effect: /POST \/api\/v1\/index-check/ },
  'crash worker': { effect: /worker-1 dies/ },
  'crash worker at a call': { effect: /worker-1 dies/ },
  'crash service at a call': { effect: /service dies/ },
  'crash service': { effect: /service dies/ },
  'stop temporal': { effect: ({ temporal }) => !temporal.isUp },
  'cut off worker': { effect: ({ workers }) => workers.some(({ worker }) => worker?.polls === false) },
  reset: { effect: /reset \S+ to task/ },
  'refuse key': {
    effect: /GET \/api\/v1\/\S+ instead|POST \/api\/v1\/submissions \S+ instead/,
    moment: 'batch planned',
  },
  suffer: { effect: /outage: / },
  'replace key': newKey,
  'top up': { effect: (world, { balance }) => world.readBalance('main') >= balance + AMPLE / 2 },
  'spend elsewhere': { effect: (world, { balance }) => world.readBalance('main') < balance },
  'change price': { effect: /the price is / },
  'lower cap': { effect: ({ settings }) => Object.values(settings.caps).some((cap) => cap !== null) },
  'raise floor': { effect: ({ settings }) => settings.floor > 0 },
  'remove watch': { effect: ({ settings }) => settings.watches.size === 1 },
  'rename watch': { effect: ({ settings }) => [...settings.watches.keys()].some((name) => /^w\dr$/.test(name)) },
  'change account': { effect: ({ settings }, before) => settings.secondAccount !== before.settings.secondAccount },
  'change pages': pagesChange,
  'move pages': pagesChange,
  'flap lastmods': pagesChange,
  'move to other file': pagesChange,
  'date pages': {
    ...pagesChange,
    world: { watches: new Map([['w0', [{ url: 'https://www.shop.example/w0/a', lastmod: null }]]]) },
  },
  'empty sitemap': pagesChange,
  approve: { effect: decided('approved') },
  reject: { effect: decided('rejected') },
  'cancel batch': { effect: (world) => has(world, `batches WHERE state = 'cancelled'`) },
  'leave batch': { effect: /batch \d+ is left/ },
  'release quarantine': { effect: /released \S+ from quarantine/ },
  recover: { effect: /recovered \d+ jobs/ },
  wake: {
    effect: ({ temporal }) =>
      [...temporal.executions]
        .filter(([id]) => id.startsWith('account/'))
        .some(([, runs]) => runs.some((run) => JSON.stringify(run.tasks).includes('"kind":"signal"'))),
    moment: 'batch waits',
  },
  'restore ledger': { effect: /the ledger is a copy/ },
  'restore under workers': { effect: /the ledger is a copy, under its worker/ },
  'stop workers for days': { effect: /the workers were away/ },
  'lose temporal': { effect: /the state of Temporal is lost/ },
  'jump clock': { effect: /the clocks jump by/ },
  'change cron': { effect: ({ settings }, before) => settings.schedules !== before.settings.schedules },
  'pause schedule': {
    effect: ({ temporal }) => [...temporal.schedules.values()].some(({ settings }) => settings.state.paused),
  },
  'trigger schedule': { effect: /schedule (watch|index-check)\/\S+ starts/ },
  'name another service': { effect: ({ settings }) => settings.places.main.address === OTHER_SERVICE },
  'wrong key': { effect: ({ settings }) => settings.places.main.keyVariable === WRONG_KEY_VARIABLE },
  'move to another service': { effect: ({ settings }) => settings.secondAccount?.size === 2 },
  'service moves': { effect: ({ settings }) => settings.places.main.address === NEW_ADDRESS },
  'rotate key': newKey,
  'rotate key early': newKey,
  'key file away': { effect: (world) => readKey(world) === undefined },
  'stop database': { effect: /the database is away/ },
  'restart while crawling': { effect: /worker-1 dies/ },
  'lose a file': { effect: /GET \/w\d(-2)?\.xml instead/ },
  'show partial jobs': { ...shown(/GET \/api\/v1\/submissions/), moment: 'batch accepted' },
  'prune details': { effect: /pruned: / },
  'forget pages': { effect: /forgotten: [1-9]/ },
  'resume account': { effect: /\S+ was stopped: / },
  'jobs elsewhere': { effect: /another program has \d+ jobs/ },
  'round charges': acceptance,
  'hide charges': acceptance,
  'call totals prices': acceptance,
  'charge in euros': acceptance,
  'balance in euros': { ...shown(/GET \/api\/v1\/balance/), moment: 'account at a cap' },
  'list in euros': shown(/GET \/api\/v1\/submissions\?/),
  'hide check charges': { ...shown(/POST \/api\/v1\/index-check/), next: 'check' },
};
