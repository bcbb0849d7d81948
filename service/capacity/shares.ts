import { createHash } from 'node:crypto';
import { toNetwork } from './network.ts';

/** Keys and sessions in memory, as hashes; the least recently used one is forgotten first. */
const MAX_KNOWN = 10_000;

export const accountShare = (account: number): string => `account ${account}`;
export const addressShare = (address: string): string => `address ${toNetwork(address)}`;
/** Metrics and readiness. */
export const OPERATOR_SHARE = 'operator';

/**
 * Whose share of the service a request uses before it is authenticated: that of the account to which its key or session
 * belonged the last time, else that of its address. So invented keys have one share together, however many they are,
 * and they do not hold up the keys of customers, also where all come from one proxy. It grants nothing: a key that was
 * revoked is still looked up, refused, and forgotten.
 */
export class Shares {
  readonly #known = new Map<string, string>();
  readonly #most: number;

  constructor(most = MAX_KNOWN) {
    this.#most = most;
  }

  find(secret: string | null, address: string): string {
    const known = secret === null ? undefined : this.#known.get(hash(secret));
    return known ?? addressShare(address);
  }

  /** After `secret` was authenticated. Returns the share of the account. */
  remember(secret: string, account: number): string {
    const key = hash(secret);
    const share = accountShare(account);
    this.#known.delete(key);
    this.#known.set(key, share);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#most && oldest !== undefined) this.#known.delete(oldest);
    return share;
  }

  /** After `secret` was refused: whoever holds a revoked key must not use up the share of its account. */
  forget(secret: string): void {
    this.#known.delete(hash(secret));
  }
}

const hash = (secret: string): string => createHash('sha256').update(secret).digest('base64');
