import { type Micros, micros, timesMicros } from '../../contract/money.ts';
import { type CapPeriod, type CapScope, isMoneyReason, type Reason, renderReason, type SpendReason } from './reason.ts';

/** Spending caps; null means no cap. */
export interface Caps {
  readonly perRun?: Micros | null;
  readonly perDay?: Micros | null;
  readonly perMonth?: Micros | null;
  /** What was shown to the operator who decided on the run. */
  readonly decided?: DecidedCap | null;
}

/** A decision is a contract: its run buys no more pages, for no more money, than were shown. */
export interface DecidedCap {
  readonly urls: number;
  /** Of them these are not planned yet. */
  readonly urlsLeft: number;
  /** Null: no price was known, so none was shown. */
  readonly cost: Micros | null;
}

/** Amounts charged and committed. */
export interface Spent {
  readonly run: Micros;
  readonly day: Micros;
  readonly month: Micros;
}

export interface SpendQuestion {
  /** The amount to spend. Null while the price is unknown. */
  readonly cost: Micros | null;
  readonly watch: { readonly caps: Caps; readonly spent: Spent };
  /** Sums over all watches of the account; an account has no cap per run. */
  readonly account: { readonly caps: Caps; readonly spent: Omit<Spent, 'run'> };
  /** The balance less all commitments. Null: it sets no limit. 'unknown': a floor cannot be guaranteed. */
  readonly balance: Micros | null | 'unknown';
  /** The part of the balance that is never spent. */
  readonly floor: Micros;
}

/** Why a spend is refused now, with its message. */
export interface CapRefusal {
  readonly reason: SpendReason;
  /** What is stored: the reason itself, or for how many URLs it leaves room. */
  readonly stored: Reason;
  readonly message: string;
}

/**
 * Whether a spend is allowed: null, or the tightest limit that refuses it. Called when a batch is planned and again
 * before it is sent. A cap cannot be enforced without a price, so an unknown price under a cap is refused, not guessed.
 */
export function capRefusal(question: SpendQuestion): CapRefusal | null {
  const { cost, balance, floor } = question;
  if (cost !== null && cost < 0) throw new RangeError(`a cost below zero: ${cost}`);
  if (cost === 0) return null;
  if (balance === 'unknown') return toRefusal({ code: 'balance_unknown', floor });
  const bounds = listBounds({ ...question, balance });
  if (cost === null) {
    const capped = bounds.find(({ limit }) => limit !== null);
    return capped === undefined ? null : toRefusal({ code: 'price_unknown', limit: capped.limit ?? floor });
  }
  const tightest = findTightest(bounds);
  return tightest !== null && cost > tightest.left ? toRefusal(tightest.toReason(cost)) : null;
}

/**
 * How many URLs at this price are allowed now, and what refuses the next one (null when nothing does). A plan submits
 * that many and holds the rest with the reason.
 */
export function urlsAllowed(question: Omit<SpendQuestion, 'cost'>, price: Micros | null, wanted: number): Allowed {
  const decided = question.watch.caps.decided ?? null;
  const byMoney = urlsAffordable(question, price, Math.min(wanted, decided?.urlsLeft ?? wanted));
  if (decided === null || byMoney.refusal !== null || byMoney.urls === wanted) return byMoney;
  const reason = toDecidedReason(decided, price === null ? null : timesMicros(price, wanted));
  return { urls: byMoney.urls, refusal: toPartRefusal(reason, byMoney.urls, wanted) };
}

interface Allowed {
  readonly urls: number;
  readonly refusal: CapRefusal | null;
}

function urlsAffordable(question: Omit<SpendQuestion, 'cost'>, price: Micros | null, wanted: number): Allowed {
  if (price === null) {
    const refused = capRefusal({ ...question, cost: null });
    return { urls: refused === null ? wanted : 0, refusal: refused };
  }
  if (price < 0) throw new RangeError(`a price below zero: ${price}`);
  const { balance, floor } = question;
  if (price === 0) return { urls: wanted, refusal: null };
  if (balance === 'unknown') return { urls: 0, refusal: toRefusal({ code: 'balance_unknown', floor }) };
  const tightest = findTightest(listBounds({ ...question, balance }));
  if (tightest === null) return { urls: wanted, refusal: null };
  const urls = Math.min(wanted, Math.floor(tightest.left / price));
  if (urls === wanted) return { urls, refusal: null };
  return { urls, refusal: toPartRefusal(tightest.toReason(timesMicros(price, wanted)), urls, wanted) };
}

/** The tighter of two caps; null means no cap. */
export function lowerCap(a: Micros | null, b: Micros | null): Micros | null {
  if (a === null) return b;
  return b === null || a < b ? a : b;
}

/** Whether waiting cannot help: the spend exceeds the whole cap, or what its run may spend is used up. */
export function isBeyondCap({ reason }: Pick<CapRefusal, 'reason'>): boolean {
  if (reason.code === 'beyond_decision') return true;
  return reason.code === 'cap_reached' && (reason.period === 'run' || reason.cost > reason.limit);
}

/** Whether only a higher balance can help. */
export function waitsForMoney({ reason }: CapRefusal): boolean {
  return isMoneyReason(reason.code);
}

const toRefusal = (reason: SpendReason): CapRefusal => ({
  reason,
  stored: reason,
  message: renderReason(reason),
});

function toPartRefusal(limit: SpendReason, allowed: number, wanted: number): CapRefusal {
  const stored: Reason = { code: 'room_for_some', limit, allowed, wanted };
  return { reason: limit, stored, message: renderReason(stored) };
}

const toDecidedReason = ({ urls, cost: limit }: DecidedCap, cost: Micros | null): SpendReason => ({
  code: 'beyond_decision',
  urls,
  limit,
  cost,
});

interface Bound {
  /** Null when no setting limits the spend, only the balance. */
  readonly limit: Micros | null;
  readonly left: Micros;
  readonly toReason: (cost: Micros) => SpendReason;
}

type Bounds = Omit<SpendQuestion, 'cost' | 'balance'> & { readonly balance: Micros | null };

function listBounds({ watch, account, balance, floor }: Bounds): Bound[] {
  const bounds: Bound[] = [];
  const cap = (scope: CapScope, period: CapPeriod, limit: Micros | null | undefined, spent: Micros) => {
    if (limit === null || limit === undefined) return;
    const left = atLeastZero(limit - spent);
    bounds.push({ limit, left, toReason: (cost) => ({ code: 'cap_reached', scope, period, limit, left, cost }) });
  };
  const decided = watch.caps.decided ?? null;
  if (decided !== null && decided.cost !== null) {
    const left = atLeastZero(decided.cost - watch.spent.run);
    bounds.push({ limit: decided.cost, left, toReason: (cost) => toDecidedReason(decided, cost) });
  }
  cap('watch', 'run', watch.caps.perRun, watch.spent.run);
  cap('watch', 'day', watch.caps.perDay, watch.spent.day);
  cap('watch', 'month', watch.caps.perMonth, watch.spent.month);
  cap('account', 'day', account.caps.perDay, account.spent.day);
  cap('account', 'month', account.caps.perMonth, account.spent.month);
  if (balance !== null) {
    const left = atLeastZero(balance - floor);
    bounds.push({
      limit: floor > 0 ? floor : null,
      left,
      toReason: (cost) =>
        balance < 0
          ? { code: 'balance_negative', balance, cost }
          : floor > 0
            ? { code: 'floor_short', floor, left, cost }
            : { code: 'balance_short', left, cost },
    });
  }
  return bounds;
}

const atLeastZero = (amount: number): Micros => micros(Math.max(0, amount));

function findTightest(bounds: readonly Bound[]): Bound | null {
  return bounds.reduce<Bound | null>((least, each) => (least === null || each.left < least.left ? each : least), null);
}
