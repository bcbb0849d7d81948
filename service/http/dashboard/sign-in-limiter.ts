import { SlidingWindow } from '../limits/sliding-window.ts';

const MINUTE = 60_000;
/** One browser, or one address, trying one account. */
const PER_SOURCE_AND_ACCOUNT = { limit: 10, windowMs: MINUTE };
/** One address trying any accounts. */
const PER_ADDRESS = { limit: 30, windowMs: MINUTE };
/** All unknown browsers together trying one account: known browsers are not counted here. */
const PER_ACCOUNT = { limit: 600, windowMs: 60 * MINUTE };
/** Counters of each kind; the least recently used one is dropped first. */
const MAX_COUNTERS = 10_000;

export interface Attempt {
  readonly account: string;
  readonly address: string;
  /** The browser has signed in to this account before. */
  readonly device: string | null;
}

/**
 * Limits the attempts to sign in. Attempts from one address never use up those of another address or of a browser that
 * the account knows, so the owner cannot be locked out. Returns the seconds to wait, 0 when the attempt is allowed.
 */
export function signInLimiter(now: () => number): (attempt: Attempt) => number {
  const pairs = counters(PER_SOURCE_AND_ACCOUNT);
  const addresses = counters(PER_ADDRESS);
  const accounts = counters(PER_ACCOUNT);
  return ({ account, address, device }) => {
    const network = toNetwork(address);
    const windows =
      device !== null
        ? [pairs(`device ${device}`)]
        : [addresses(network), pairs(`${network} ${account}`), accounts(account)];
    const time = now();
    for (const window of windows) window.advance(time);
    const opensAt = Math.max(...windows.map((window) => window.opensAt(time)));
    if (opensAt > time) return Math.ceil((opensAt - time) / 1_000);
    for (const window of windows) window.add(time);
    return 0;
  };
}

/** One counter per name, kept in the order of use. */
function counters(settings: { limit: number; windowMs: number }): (name: string) => SlidingWindow {
  const known = new Map<string, SlidingWindow>();
  return (name) => {
    const window = known.get(name) ?? new SlidingWindow(settings);
    known.delete(name);
    known.set(name, window);
    const [oldest] = known.keys();
    if (known.size > MAX_COUNTERS && oldest !== undefined) known.delete(oldest);
    return window;
  };
}

/** An IPv4 address, or the first 64 bits of an IPv6 address: one customer line has that many. */
export function toNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
