import { createSeededProfile } from '../../fakes/service/profiles/seeded.ts';
import { pick, seeded } from '../../support/seeded.ts';
import { type Dialect, mayFilterPages } from './dialect.ts';
import { toFocusedScenario } from './focused.ts';
import { type Act, type ActKind, AMPLE, makePages, type Scenario } from './scenario.ts';

const MINUTE = 60_000;

/** Groups of acts about services and keys, of which a seed has one or two. */
const MOVES: readonly (readonly ActKind[])[] = [
  ['name another service'],
  ['move to another service'],
  ['service moves'],
];
const KEYS: readonly (readonly ActKind[])[] = [['rotate key'], ['rotate key early'], ['key file away'], ['wrong key']];

/** What a lost ledger, or a watch with another name, has bought is looked for in its own account alone. */
const LOSES: ReadonlySet<ActKind> = new Set(['rename watch', 'restore ledger', 'restore under workers']);
/** Then the account of a key cannot always be read, and one that cannot be read blocks nothing. */
const HIDES_ACCOUNT: ReadonlySet<ActKind> = new Set([
  ...([
    'crash service',
    'crash service at a call',
    'lose temporal',
    'stop temporal',
    'refuse key',
    'replace key',
  ] as const),
  ...(['restore ledger', 'restore under workers', 'jump clock'] as const),
]);

/**
 * The focused seed of the same number, with other services: accounts that move to another one or get its key, a service that
 * moves to another address, keys that are rotated. Each part has a stream of its own, so that another one may come later.
 */
export function toServiceScenario(seed: number): Scenario {
  const focused = toFocusedScenario(seed);
  const random = seeded(seed ^ 0x5e71);
  const isSecondElsewhere = random() < 0.6;
  const watches = new Map(focused.watches);
  if (watches.size < 2) watches.set('w1', makePages(random, 'w1', 'a', 1 + Math.floor(random() * 8), focused));
  const sitemaps = [...watches.keys()];
  const kinds = drawKinds(random, focused, isSecondElsewhere);
  const moments = focused.acts.flatMap(({ moment }) => (moment === undefined ? [] : [moment]));
  const acts = Array.from(
    { length: 1 + Math.floor(random() * 2) },
    (): Act => ({
      at: Math.floor((0.1 + 0.9 * random()) * focused.goodAt),
      kind: pick(random, kinds),
      forMs: Math.floor(random() ** 2 * (random() < 0.3 ? 240 : 30) * MINUTE),
      salt: Math.floor(random() * 2 ** 31),
      ...(moments.length > 0 && random() < 0.7 ? { moment: pick(random, moments) } : {}),
    }),
  );
  const dialect = drawDialect(seed, focused);
  return {
    ...focused,
    watches,
    second: {
      sitemaps: random() < 0.5 ? [] : sitemaps.slice(1),
      balance: random() < 0.3 ? Math.floor(random() * 10) * focused.price : AMPLE,
      trouble: null,
    },
    services: { isSecondElsewhere, ...(dialect === null ? {} : { dialect }) },
    listLagMs: dialect === null ? focused.listLagMs : 0,
    acts: [...focused.acts, ...acts].toSorted((a, b) => a.at - b.at),
  };
}

/** What an answer without the charge does not show: the price has changed, or others spend. */
const HIDDEN_BY_NO_CHARGE: ReadonlySet<string> = new Set(['change price', 'spend elsewhere', 'top up']);
/** Jobs are read, to know what was bought: an operator who must name the watch of a job is not played. */
const READS_JOBS: ReadonlySet<string> = new Set([
  'restore ledger',
  'restore under workers',
  'account held',
  'recover',
  'account recovers',
]);

/**
 * Such a page is cut from all jobs, and costs two requests of the service's minute, where it should cost one: with fewer jobs on
 * a page no minute holds the pages of a search, which then never ends.
 */
const LEAST_FILTERED = 5;

/** Seven of ten services show what they have in other words or on other pages. */
export function drawDialect(seed: number, { acts, listLagMs }: Scenario): Dialect | null {
  const random = seeded(seed ^ 0xd1a1);
  if (random() < 0.3) return null;
  const has = (names: ReadonlySet<string>) =>
    acts.some(({ kind, moment, besides }) => [kind, moment, besides].some((name) => names.has(name ?? '')));
  const isOddOnly = random() < 0.4;
  let profile = Math.floor(random() * 1e6);
  while (!isFit(createSeededProfile(profile).chosen, has(HIDDEN_BY_NO_CHARGE), has(READS_JOBS))) profile += 1;
  const drawn = {
    profile: isOddOnly ? null : profile,
    pageLimit: random() < 0.5 ? 100 : 1 + Math.floor(random() ** 2 * 10),
    lagMs: Math.max(listLagMs, random() < 0.5 ? 0 : 30_000 + Math.floor(random() * 210_000)),
    copies: random() < 0.5,
    filtersPages: random() < 0.3,
  };
  const filtersPages = drawn.filtersPages && mayFilterPages(drawn.profile);
  return {
    ...drawn,
    filtersPages,
    pageLimit: filtersPages ? Math.max(drawn.pageLimit, LEAST_FILTERED) : drawn.pageLimit,
  };
}

/** Whether the rules say what the ledger must know under a profile. */
function isFit(chosen: Readonly<Record<string, string>>, mustTellCharge: boolean, mustShowJobs: boolean): boolean {
  if (mustTellCharge && chosen.charge !== 'total and price' && chosen.charge !== 'price') return false;
  if (!mustShowJobs) return true;
  const isKnownBy = chosen['shows projects'] === 'yes' && chosen.project === 'whole' && chosen.URLs !== 'none';
  return isKnownBy && /^(iso|seconds|mail)/.test(chosen.date!);
}

function drawKinds(
  random: () => number,
  { acts, faultShare }: Scenario,
  isSecondElsewhere: boolean,
): readonly ActKind[] {
  const has = (kinds: ReadonlySet<ActKind>) => acts.some(({ kind }) => kinds.has(kind));
  const moves = has(LOSES) ? [] : MOVES.filter(([kind]) => kind !== 'name another service' || isSecondElsewhere);
  const hidesAccount = faultShare > 0 || has(HIDES_ACCOUNT) || isSecondElsewhere;
  const keys = KEYS.filter(([kind]) => kind !== 'wrong key' || !hidesAccount);
  const isMove = moves.length > 0 && random() < 0.6;
  return [...pick(random, isMove ? moves : keys), ...(random() < 0.3 ? pick(random, keys) : [])];
}
