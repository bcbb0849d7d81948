import { formatTry, type Micros, ZERO } from '../../contract/money.ts';

/** What may be spent at most; null means no cap. */
export interface Caps {
  readonly perRun?: Micros | null;
  readonly perDay?: Micros | null;
  readonly perMonth?: Micros | null;
}

/** What was spent or is promised to batches already planned. */
export interface Spent {
  readonly run: Micros;
  readonly day: Micros;
  readonly month: Micros;
}

export interface SpendQuestion {
  /** What is asked for. Null when no price is known yet. */
  readonly cost: Micros | null;
  readonly watch: { readonly caps: Caps; readonly spent: Spent };
  /** Sums over all watches of the account; an account has no cap per run. */
  readonly account: { readonly caps: Caps; readonly spent: Omit<Spent, 'run'> };
  /** As last read. Null when it was never read: then only the service's own 402 guards it. */
  readonly balance: Micros | null;
  /** Stays untouched. */
  readonly floor: Micros;
}

export type CapName = 'watch per run' | 'watch per day' | 'watch per month' | 'account per day' | 'account per month';

/** Why money is not spent now, with the sentence a person reads. */
export interface CapRefusal {
  readonly cap: CapName | 'balance' | 'balance floor' | 'unknown price';
  readonly limit: Micros;
  /** What is left under the cap: never negative. */
  readonly left: Micros;
  readonly message: string;
}

/**
 * Whether a spend is allowed: null, or the tightest reason why not. Asked when a batch is planned and again before it is
 * sent. A cap cannot be kept with a price that nobody knows, so an unknown price under a cap is refused, not guessed.
 */
export function capRefusal(question: SpendQuestion): CapRefusal | null {
  const { cost } = question;
  const bounds = listBounds(question);
  if (cost === null) {
    const capped = bounds.find(({ cap }) => cap !== 'balance');
    return capped === undefined ? null : unknownPrice(capped.limit);
  }
  if (cost < 0) throw new RangeError(`a cost below zero: ${cost}`);
  if (cost === 0) return null;
  const tightest = findTightest(bounds);
  return tightest !== null && cost > tightest.left ? refusal(tightest, cost) : null;
}

/**
 * How many URLs at this price are allowed now, and what stops the next one (null when nothing does). A plan submits so
 * many and holds the rest with the reason.
 */
export function urlsAllowed(
  question: Omit<SpendQuestion, 'cost'>,
  price: Micros | null,
  wanted: number,
): { readonly urls: number; readonly refusal: CapRefusal | null } {
  if (price === null) {
    const refused = capRefusal({ ...question, cost: null });
    return { urls: refused === null ? wanted : 0, refusal: refused };
  }
  if (price < 0) throw new RangeError(`a price below zero: ${price}`);
  const tightest = findTightest(listBounds(question));
  if (tightest === null || price === 0) return { urls: wanted, refusal: null };
  const urls = Math.min(wanted, Math.floor(tightest.left / price));
  return urls === wanted ? { urls, refusal: null } : { urls, refusal: refusal(tightest, price) };
}

interface Bound {
  readonly cap: CapRefusal['cap'];
  readonly limit: Micros;
  readonly left: Micros;
  /** A balance below zero, as it was told. */
  readonly debt?: Micros;
}

function listBounds({ watch, account, balance, floor }: Omit<SpendQuestion, 'cost'>): Bound[] {
  const bounds: Bound[] = [];
  const cap = (name: CapName, limit: Micros | null | undefined, spent: Micros) => {
    if (limit !== null && limit !== undefined) bounds.push({ cap: name, limit, left: above(limit - spent) });
  };
  cap('watch per run', watch.caps.perRun, watch.spent.run);
  cap('watch per day', watch.caps.perDay, watch.spent.day);
  cap('watch per month', watch.caps.perMonth, watch.spent.month);
  cap('account per day', account.caps.perDay, account.spent.day);
  cap('account per month', account.caps.perMonth, account.spent.month);
  if (balance !== null) {
    const debt = balance < 0 ? { debt: balance } : {};
    bounds.push({ cap: floor > 0 ? 'balance floor' : 'balance', limit: floor, left: above(balance - floor), ...debt });
  }
  return bounds;
}

const above = (amount: number): Micros => Math.max(0, amount) as Micros;

function findTightest(bounds: readonly Bound[]): Bound | null {
  return bounds.reduce<Bound | null>((least, each) => (least === null || each.left < least.left ? each : least), null);
}

function refusal({ cap, limit, left, debt }: Bound, cost: Micros): CapRefusal {
  const what =
    debt !== undefined
      ? `the balance, less what is on its way, is below zero (${formatTry(debt)})`
      : cap === 'balance'
        ? `the balance leaves ${formatTry(left)}`
        : cap === 'balance floor'
          ? `the balance leaves ${formatTry(left)} above its floor of ${formatTry(limit)}`
          : `the cap ${cap} of ${formatTry(limit)} leaves ${formatTry(left)}`;
  return { cap, limit, left, message: `${what}, ${formatTry(cost)} would be needed; nothing was spent` };
}

function unknownPrice(limit: Micros): CapRefusal {
  return {
    cap: 'unknown price',
    limit,
    left: ZERO,
    message:
      'no price per URL is known, so a cap cannot be kept; nothing was spent. ' +
      'Set price_per_url of the account, or remove the caps until a first charge has shown it',
  };
}
