import type { Report } from './breaches.ts';

export interface Leaving {
  readonly key: string;
  /** Whose key it is, as the service calls it. */
  readonly account: string;
  /** Whose watch it is of; null: it is not configured now. */
  readonly owner: string | null;
  /** It was sent before. */
  readonly isRepeat: boolean;
  /** An earlier attempt may be charged: it stays with its account, and is sent until its end is known. */
  readonly mayBeCharged: boolean;
}

/** Nothing new is sent for a watch that is not configured, nor by an account that is not the watch's. */
export class SenderRule {
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  sent({ key, account, owner, isRepeat, mayBeCharged }: Leaving): void {
    if (mayBeCharged) return;
    if (owner === null) this.#report(`${key} was sent for a watch that is not configured`, { account });
    else if (owner !== account && !isRepeat)
      this.#report(`${key} was sent by ${account}, and its watch belongs to ${owner}`, { account });
  }
}
