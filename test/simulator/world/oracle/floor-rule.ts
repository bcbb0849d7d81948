import type { Report } from './breaches.ts';

/** So old may the balance be by which a floor is kept, as docs/explanation/money.md says, and a request travel. */
export const BALANCE_NOTICED_MS = 660_000;

export interface BeyondFloor {
  readonly account: string;
  readonly what: string;
  readonly kind: 'batch' | 'check';
  /** What was left after it. */
  readonly balance: number;
  /** The lowest floor that was in force when it was sent. */
  readonly floor: number;
  readonly amount: number;
  readonly expected: number;
  /** When its first attempt that may be the charged one left, and when it was charged. */
  readonly since: number;
  readonly at: number;
  readonly knownAt: () => number;
}

interface Unseen {
  readonly account: string;
  readonly amount: number;
  readonly at: number;
  readonly knownAt: () => number;
}

/**
 * Nothing takes the balance below the floor. Allowed is exactly what nobody could know: what others spent since the balance may
 * last have been read, and what a rise of the price added to charges whose amount was not known.
 */
export class FloorRule {
  readonly #report: Report;
  #unseen: Unseen[] = [];

  constructor(report: Report) {
    this.#report = report;
  }

  /** Another program of the customer spends. */
  spendElsewhere(account: string, amount: number, at: number): void {
    this.#unseen.push({ account, amount, at, knownAt: () => at + BALANCE_NOTICED_MS });
  }

  charged(charge: BeyondFloor): void {
    const { account, what, kind, balance, floor, amount, expected, since, at, knownAt } = charge;
    const isUnseen = (each: Unseen) => each.account === account && each.at <= at && each.knownAt() > since;
    const excess = Math.max(0, amount - expected);
    if (excess > 0) this.#unseen.push({ account, amount: excess, at, knownAt });
    if (floor === 0 || balance >= floor) return;
    const allowed = this.#unseen.filter(isUnseen).reduce((sum, each) => sum + each.amount, 0);
    if (balance >= floor - allowed) return;
    this.#report(
      `${what} took the balance to ${balance}, below the floor of ${floor}, of which ${allowed} could not be known`,
      {
        ...{ account, beyond: floor - allowed - balance, cause: kind },
      },
    );
  }
}
