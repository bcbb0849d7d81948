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

/** A batch that was sent: the loosest caps that were in force at any of its attempts, and the day of the last one. */
export interface SentUnder {
  /** As the service calls it. */
  readonly account: string;
  readonly watch: string;
  readonly caps: Caps;
  /** Days since 1970. */
  readonly day: number;
}

export const looser = (a: Caps, b: Caps): Caps =>
  Object.fromEntries(
    CAP_NAMES.map((name) => [name, a[name] === null || b[name] === null ? null : Math.max(a[name], b[name])]),
  ) as unknown as Caps;

export const toDay = (now: number): number => Math.floor(now / DAY);

const toMonth = (day: number): string => new Date(day * DAY).toISOString().slice(0, 7);

/** `expected`: less than the amount if the price had just risen. */
interface RunCharge {
  readonly cap: number;
  readonly amount: number;
  readonly expected: number;
}

/**
 * What was spent in each window of a cap. Days and months are those of UTC. A charge belongs to the window in which its
 * batch was last sent. Which run a batch belongs to is the ledger's own: a watch spends the cap of a run for each run.
 */
export class CapsRule {
  readonly #spent = new Map<string, number>();
  readonly #runs = new Map<string, number>();
  readonly #ofRuns = new Map<string, RunCharge[]>();

  beginRun(watch: string): void {
    this.#runs.set(watch, (this.#runs.get(watch) ?? 0) + 1);
  }

  /** Adds a charge, and what the connector may have expected it to be. Returns which caps it breaks. */
  spend(amount: number, { account, watch, caps, day }: SentUnder, expected = amount): string[] {
    return CAP_NAMES.flatMap((name) => {
      const isPerRun = name === 'watchPerRun';
      const spent = isPerRun
        ? this.#addToRuns(watch, caps[name], { amount, expected })
        : this.#add(toWindow(name, account, watch, day), amount);
      const cap = isPerRun ? times(caps[name], this.#runs.get(watch) ?? 0) : caps[name];
      return cap !== null && spent > cap ? [`${spent} was spent, of at most ${cap} by ${name} for ${watch}`] : [];
    });
  }

  /** A charge or a refund that belongs to no batch: it counts, and breaks nothing. */
  addToAccount(account: string, amount: number, day: number): void {
    for (const name of ['perDay', 'perMonth'] as const) this.#add(toWindow(name, account, '', day), amount);
  }

  /** What is spent by now in the window of a cap: by the account, or by the watch, that spent most. */
  getSpent(
    name: CapName,
    { accounts, watches }: { readonly accounts: readonly string[]; readonly watches: readonly string[] },
    day: number,
  ): number {
    const windows = accounts.flatMap((account) => watches.map((watch) => toWindow(name, account, watch, day)));
    return Math.max(0, ...windows.map((window) => this.#spent.get(window) ?? 0));
  }

  /**
   * What a watch has spent under this cap of a run or a lower one: a run may have spent more before the cap was lowered.
   * What a run spent beyond its cap because the price had just risen is not taken from the caps of other runs.
   */
  #addToRuns(watch: string, cap: number | null, charge: Omit<RunCharge, 'cap'>): number {
    if (cap === null) return 0;
    const all = this.#ofRuns.get(watch) ?? [];
    all.push({ cap, ...charge });
    this.#ofRuns.set(watch, all);
    const isOnlyRun = (this.#runs.get(watch) ?? 0) <= 1;
    const counted = all.filter((each) => each.cap <= cap);
    return counted.reduce((sum, { amount, expected }) => sum + (isOnlyRun ? amount : expected), 0);
  }

  #add(window: string, amount: number): number {
    const spent = (this.#spent.get(window) ?? 0) + amount;
    this.#spent.set(window, spent);
    return spent;
  }
}

const times = (cap: number | null, runs: number): number | null => (cap === null ? null : cap * runs);

function toWindow(name: CapName, account: string, watch: string, day: number): string {
  switch (name) {
    case 'perDay':
      return `account ${account} ${day}`;
    case 'perMonth':
      return `account ${account} ${toMonth(day)}`;
    case 'watchPerDay':
      return `${watch} ${day}`;
    case 'watchPerMonth':
      return `${watch} ${toMonth(day)}`;
    case 'watchPerRun':
      return watch;
  }
}
