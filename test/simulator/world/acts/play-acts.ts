/** Plays each act alone in worlds that are made for it, and prints in which of them it happened: started by acts.system.test.ts. */
import '../../platform/real-time.ts';
import '../../platform/module-hooks.ts';
import '../../platform/install.ts';
import '../../platform/compile-once.ts';
import type { Act, ActKind, Scenario } from '../scenario.ts';

/** What became of an act. */
export interface ActPlayed {
  readonly act: string;
  /** Worlds that were played until its effect was there; null: it was in none. */
  readonly shownIn: number | null;
  /** It was counted as one that found something to do, in the world that showed it. */
  readonly isCounted: boolean;
  /** Files that listed a page twice at any time, in any of the worlds. */
  readonly twice: readonly string[];
}

/** An act draws its choices: some of them do nothing that can be seen. */
const MOST_WORLDS = 12;
const MINUTE = 60_000;
const MOST_MS = 120 * MINUTE;
const OFTEN_MS = 2_000;

Error.stackTraceLimit = 0;
const { ACT_NAMES, beginAct } = await import('./index.ts');
const { BEGINS_AT } = await import('./states.ts');
const { SHOWN, noteBefore } = await import('./effects.ts');
const { FEATURES, NEEDS } = await import('../features.ts');
const { toPairedScenario } = await import('../paired.ts');
const { prepareStores } = await import('../stores.ts');
const { World } = await import('../world.ts');
const { seeded } = await import('../../../support/seeded.ts');

/** A small world without faults, with what the act needs. */
function makeWorld(kind: (typeof ACT_NAMES)[number], n: number): { readonly scenario: Scenario; readonly act: Act } {
  const { moment, world } = SHOWN[kind];
  const besides = BEGINS_AT[kind];
  const act: Act = {
    ...{ at: 20 * MINUTE, kind, forMs: 8 * MINUTE, salt: 7 * n + 1 },
    ...(moment === undefined ? {} : { moment }),
    ...(besides === undefined ? {} : { besides }),
  };
  const plain = {
    ...toPairedScenario(n),
    faultShare: 0,
    siteFaultShare: 0,
    storageShare: 0,
    tooLarge: null,
    listLagMs: 0,
  };
  const { services: _services, second: _second, policy: _policy, duties: _duties, ...rest } = plain;
  const random = seeded(n);
  const names = ['w0', 'w1'];
  const watches = new Map(
    names.map((name) => [
      name,
      Array.from({ length: 4 }, (_, each) => ({
        url: `https://www.shop.example/${name}/a/${each}`,
        lastmod: '2026-01-01',
      })),
    ]),
  );
  let scenario: Scenario = {
    ...rest,
    watches,
    schedules: new Map(),
    workers: 1,
    balance: 1_000_000_000,
    endlessShare: 0,
    runsUntil: 'accepted',
    acts: [act],
  };
  for (const name of NEEDS[kind] ?? []) scenario = { ...scenario, ...FEATURES[name](scenario, random) };
  return { scenario: { ...scenario, ...world }, act };
}

async function playOnce(kind: (typeof ACT_NAMES)[number], n: number) {
  const { scenario, act } = makeWorld(kind, n);
  const { effect, next } = SHOWN[kind];
  let hasBegun = false;
  let isShown = false;
  const twice = new Set<string>();
  await prepareStores();
  const world = new World(scenario, {
    onTrace: (line) => {
      if (hasBegun && effect instanceof RegExp && effect.test(line)) isShown = true;
    },
  });
  const { kernel, site } = world;
  world.start();
  const begin = (each: ActKind, at: number) =>
    kernel.schedule(at, null, () => beginAct(world, { at, kind: each, forMs: 8 * MINUTE, salt: n }));
  if (kind !== 'run') begin('run', 0);
  if (next !== undefined) begin(next, act.at + MINUTE);
  let before: ReturnType<typeof noteBefore> | null = null;
  const watch = () => {
    if (before !== null && !(effect instanceof RegExp) && effect(world, before)) isShown = true;
    for (const name of scenario.watches.keys()) {
      const urls = site.list(name).map(({ url }) => url);
      if (new Set(urls).size < urls.length) twice.add(name);
    }
    kernel.schedule(OFTEN_MS, null, watch);
  };
  kernel.schedule(act.at, null, () => {
    before = noteBefore(world);
    hasBegun = true;
    beginAct(world, act);
    watch();
  });
  const isCounted = () => world.meetings.list().some((meeting) => meeting.kind === kind);
  await kernel.play(() => isShown && isCounted(), MOST_MS);
  const counted = isCounted();
  await world.close();
  return { isShown, isCounted: counted, twice: [...twice] };
}

const chosen = process.argv.slice(2);
for (const act of ACT_NAMES.filter((name) => chosen.length === 0 || chosen.includes(name))) {
  const twice = new Set<string>();
  let played: ActPlayed = { act, shownIn: null, isCounted: false, twice: [] };
  for (let n = 1; n <= MOST_WORLDS && played.shownIn === null; n++) {
    const { isShown, isCounted, twice: lists } = await playOnce(act, n);
    for (const each of lists) twice.add(each);
    played = { act, shownIn: isShown ? n : null, isCounted, twice: [...twice] };
  }
  console.log(JSON.stringify(played));
}
process.exit();
