import type { Purchase } from './facts.ts';
import type { Sends } from './sends.ts';

/** What an index-check cost. */
export interface Spent {
  readonly account: string;
  readonly watch: string | null;
  readonly amount: number;
  readonly day: number;
}

export interface Lost {
  readonly purchases: readonly Purchase[];
  /** What index-checks cost: no list shows them. */
  readonly spent: readonly Spent[];
}

/** Times may be shown to the minute: what was created this long before a reading may have been charged after it. */
const SOON_MS = 90_000;

/** What a copy of the ledger lacks that came back: all that happened since it was made. */
export class Copies {
  readonly #sends: Sends;
  #purchases: Purchase[] = [];
  #spent: Spent[] = [];
  #checks: string[] = [];
  #unanswered: ReturnType<Sends['listUnanswered']> = [];
  readonly #lostReferences = new Set<string>();
  readonly #lostChecks = new Set<string>();
  readonly #soonSentAgain = new Set<string>();

  constructor(sends: Sends) {
    this.#sends = sends;
  }

  bought(purchase: Purchase): void {
    this.#purchases.push(purchase);
  }

  /** An index-check was charged, by its key, or given back. */
  spent(spent: Spent, key: string | null = null): void {
    this.#spent.push(spent);
    if (key !== null) this.#checks.push(key);
  }

  copied(): void {
    this.#begin();
    this.#unanswered = this.#sends.listUnanswered();
  }

  #begin(): void {
    this.#purchases = [];
    this.#spent = [];
    this.#checks = [];
  }

  /** The copy is back: answers that came after it are to be learned again, at any later time. No list shows those to checks. */
  restored(elapsed = 0): Lost {
    for (const sent of this.#unanswered) {
      sent.answeredDay = null;
      if ('answeredAt' in sent) continue;
      sent.mayBeCharged = true;
      sent.doubts += 1;
    }
    for (const key of this.#checks) this.#lostChecks.add(key);
    for (const { reference, at } of this.#purchases) {
      this.#lostReferences.add(reference);
      if (elapsed - at <= SOON_MS) this.#soonSentAgain.add(reference);
    }
    const lost = { purchases: this.#purchases, spent: this.#spent };
    this.#begin();
    return lost;
  }

  /** Whether what the ledger knows of a job is from the service's list alone. */
  isLostJob(reference: string): boolean {
    return this.#lostReferences.has(reference);
  }

  /** Whether the copy was back so soon after a job was created that an audit takes its charge for one of then. */
  isSoonSentAgain(reference: string): boolean {
    return this.#soonSentAgain.has(reference);
  }

  /** An index-check, by its key, that no list shows. */
  isLostCheck(key: string): boolean {
    return this.#lostChecks.has(key);
  }
}
