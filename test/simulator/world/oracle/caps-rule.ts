import type { Report } from './breaches.ts';

/** The caps of a configuration, in micro-lira; null: none. Those of a watch hold for each watch. */
export interface Caps {
  readonly perDay: number | null;
  readonly perMonth: number | null;
  readonly watchPerRun: number | null;
  readonly watchPerDay: number | null;
  readonly watchPerMonth: number | null;
}

export type CapName = keyof Caps;

export const NO_CAPS: Caps = {
  perDay: null,
  perMonth: null,
  watchPerRun: null,
  watchPerDay: null,
  watchPerMonth: null,
};
export const CAP_NAMES = Object.keys(NO_CAPS) as CapName[];
/** Those that are set. */
export const describeCaps = (caps: Caps): string =>
  CAP_NAMES.flatMap((name) => (caps[name] === null ? [] : [`${name} ${caps[name]}`])).join(' ') || 'none';

const DAY = 86_400_000;

/** What was spent: a batch, or an index-check, which belongs to no run. */
export interface Spending {
  /** As the service calls it. */
  readonly account: string;
  /** By the name under which it spends; null: not known, so that it counts for its account alone. */
  readonly watch: string | null;
  /** Null: of no run, or of one that is not known. */
  readonly run: string | null;
  /** The loosest caps that were in force at any attempt that may be the charged one. */
  readonly caps: Caps;
  /** Days since 1970 of the last attempt. */
  readonly day: number;
  readonly amount: number;
  /** What the connector may have taken it for when it was sent: less, where a price had risen since. */
  readonly expected: number;
  /** When it was sent. */
  readonly at: number;
  /** From then on the connector knows what it cost. */
  readonly knownAt: () => number;
  readonly what: string;
  readonly kind: 'batch' | 'check';
}

export const looser = (a: Caps, b: Caps): Caps =>
  Object.fromEntries(
    CAP_NAMES.map((name) => [name, a[name] === null || b[name] === null ? null : Math.max(a[name], b[name])]),
  ) as unknown as Caps;

export const toDay = (now: number): number => Math.floor(now / DAY);

const toMonth = (day: number): string => new Date(day * DAY).toISOString().slice(0, 7);

type Counted = Pick<Spending, 'amount' | 'expected' | 'knownAt' | 'kind'>;

/**
 * Nothing is spent beyond a cap. Days and months are those of UTC; a charge belongs to the window in which it was last sent.
 * What a rise of the price adds to a charge whose amount nobody could know yet is the only excess that is allowed: it counts as
 * soon as the amount is known.
 */
export class CapsRule {
  readonly #report: Report;
  readonly #spent = new Map<string, Counted[]>();

  constructor(report: Report) {
    this.#report = report;
  }

  spend(spending: Spending): void {
    const { watch, caps, at, what, kind, account } = spending;
    for (const name of CAP_NAMES) {
      const window = toWindow(name, spending);
      if (window === null) continue;
      const counted = this.#get(window);
      const cap = caps[name];
      const sum = cap === null ? 0 : counted.reduce((total, each) => total + toCounted(each, at), spending.expected);
      counted.push(spending);
      if (cap === null) continue;
      if (sum <= cap) continue;
      // What was spent before a cap was lowered is beyond it, too, and breaks nothing.
      this.#report(`${sum} was spent, of at most ${cap} by ${name} for ${watch ?? account}, when ${what} was sent`, {
        ...(watch === null ? {} : { watch }),
        ...{
          account,
          beyond: sum - Math.max(cap, sum - spending.expected),
          cause: `${kind} ${name}`,
          ofChecks: sumChecks(counted),
        },
      });
    }
  }

  /** A refund, or a charge that is none of ours or of which the ledger cannot know any more: it counts, and breaks nothing. */
  add({ account, watch, amount, day }: Pick<Spending, 'account' | 'watch' | 'amount' | 'day'>): void {
    const other = { amount, expected: amount, knownAt: () => 0, kind: 'check' } as const;
    for (const name of ['perDay', 'perMonth', 'watchPerDay', 'watchPerMonth'] as const) {
      const window = toWindow(name, { account, watch, run: null, day });
      if (window !== null) this.#get(window).push(other);
    }
  }

  #get(window: string): Counted[] {
    const counted = this.#spent.get(window) ?? [];
    this.#spent.set(window, counted);
    return counted;
  }

  /** What is spent by now in the window of a cap: by the account, or by the watch, that spent most. */
  getSpent(
    name: CapName,
    { accounts, watches }: { readonly accounts: readonly string[]; readonly watches: readonly string[] },
    day: number,
  ): number {
    const windows = accounts.flatMap((account) =>
      watches.map((watch) => toWindow(name, { account, watch, run: null, day })),
    );
    const sums = windows.map((window) =>
      (this.#spent.get(window ?? '') ?? []).reduce((total, { amount }) => total + amount, 0),
    );
    return Math.max(0, ...sums);
  }
}

const sumChecks = (counted: readonly Counted[]): number =>
  counted.reduce((total, { kind, amount }) => (kind === 'check' ? total + amount : total), 0);

const toCounted = ({ amount, expected, knownAt }: Counted, at: number): number =>
  knownAt() <= at ? amount : Math.min(amount, expected);

function toWindow(
  name: CapName,
  { account, watch, run, day }: Pick<Spending, 'account' | 'watch' | 'run' | 'day'>,
): string | null {
  switch (name) {
    case 'perDay':
      return `account ${account} ${day}`;
    case 'perMonth':
      return `account ${account} ${toMonth(day)}`;
    case 'watchPerDay':
      return watch === null ? null : `watch ${watch} ${day}`;
    case 'watchPerMonth':
      return watch === null ? null : `watch ${watch} ${toMonth(day)}`;
    case 'watchPerRun':
      return run === null ? null : `run ${run}`;
  }
}
