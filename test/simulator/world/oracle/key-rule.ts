import type { Report } from './breaches.ts';

/** A key has one body and one account: anything else may be charged again. */
export class KeyRule {
  readonly #report: Report;
  readonly #bodies = new Map<string, string>();
  readonly #accounts = new Map<string, string>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** A batch or an index-check leaves, with the key of an account as the service calls it. */
  sent(key: string, account: string, body: string): void {
    if ((this.#bodies.get(key) ?? body) !== body) this.#report(`key ${key} was sent with two bodies`);
    const before = this.#accounts.get(key) ?? account;
    if (before !== account) this.#report(`key ${key} was sent by two accounts, ${before} and ${account}`, { account });
    this.#bodies.set(key, body);
    this.#accounts.set(key, before);
  }
}
