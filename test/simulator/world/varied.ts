import { pick, seeded } from '../../support/seeded.ts';
import { ACCOUNT_NAMES } from './account-names.ts';
import { toFocusedScenario } from './focused.ts';
import { type Act, AMPLE, makePages, type Scenario, type SecondAccount } from './scenario.ts';

const MINUTE = 60_000;

/** A focused seed in a world that is another one: what it draws besides leaves the focused seed as it is. */
export function toVariedScenario(seed: number): Scenario {
  const random = seeded(seed ^ 0x7a21);
  const focused = toFocusedScenario(seed);
  // Two watches at least, so that two accounts have one each.
  const watches = new Map(focused.watches);
  if (watches.size < 2) watches.set('w1', makePages(random, 'w1', 'a', 1 + Math.floor(random() * 8), focused));
  const second = drawSecondAccount(random, [...watches.keys()], focused.price);
  // What a watch bought under another name or in a lost ledger is looked for in its own account alone.
  const loses = focused.acts.some(({ kind }) => kind === 'rename watch' || kind.startsWith('restore'));
  const acts = loses || random() < 0.4 ? [] : drawAccountChanges(random, focused);
  return {
    ...focused,
    watches,
    second,
    acts: [...focused.acts, ...acts].toSorted((a, b) => a.at - b.at),
  };
}

export function drawSecondAccount(random: () => number, sitemaps: readonly string[], price: number): SecondAccount {
  const isShort = random() < 0.4;
  return {
    sitemaps: sitemaps.slice(1 + Math.floor(random() * (sitemaps.length - 1))),
    balance: isShort ? Math.floor(random() * 10) * price : AMPLE,
    trouble:
      random() < 0.5 ? null : { account: pick(random, ACCOUNT_NAMES), kind: isShort ? 'no money' : 'key refused' },
  };
}

/** Watches change their account, half of the time while a batch is in a state that the focused seed names. */
function drawAccountChanges(random: () => number, { acts, goodAt }: Scenario): readonly Act[] {
  const moments = acts.flatMap(({ moment }) => (moment === undefined ? [] : [moment]));
  return Array.from({ length: 1 + Math.floor(random() * 2) }, () => ({
    at: Math.floor(random() * goodAt),
    kind: 'change account',
    forMs: Math.floor(random() ** 2 * 60 * MINUTE),
    salt: Math.floor(random() * 2 ** 31),
    ...(moments.length > 0 && random() < 0.5 ? { moment: pick(random, moments) } : {}),
  }));
}
