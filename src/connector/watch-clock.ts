import { getHeader } from '../api-client/headers.ts';
import type { Exchange } from '../api-client/transport.ts';
import type { AccountId } from '../submission/ids.ts';

/** Idempotency and rate limits need no exact clock; charges by day and waits do. */
const MOST_SKEW_MS = 60_000;

export interface Skew {
  readonly seconds: number;
  readonly isWrong: boolean;
  readonly sentence: string;
}

/** By how much the clock of this machine differs from a `Date` header (RFC 9110 6.6.1); null without one. `at`: when it was sent. */
export function findSkew(date: string | null, at: number): Skew | null {
  const theirs = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return null;
  const skew = theirs - at;
  const seconds = Math.round(Math.abs(skew) / 1_000);
  return {
    seconds,
    isWrong: Math.abs(skew) > MOST_SKEW_MS,
    sentence: `this machine's clock is ${seconds} s ${skew > 0 ? 'behind' : 'ahead of'} the service's`,
  };
}

export interface ClockWatchOptions {
  readonly now: () => number;
  readonly log: Readonly<Record<'info' | 'warn', (fields: { readonly account: AccountId }, text: string) => void>>;
  readonly setTrouble: (trouble: 'clock', is: boolean) => void;
}

/** Compares the clock with each response of an account's service: says once that it is wrong, and once that it is right again. */
export function createClockWatch({
  now,
  log,
  setTrouble,
}: ClockWatchOptions): (account: AccountId) => (exchange: Exchange) => void {
  const wrong = new Set<AccountId>();
  return (account) => (exchange) => {
    const skew = exchange.kind === 'none' ? null : findSkew(getHeader(exchange.headers, 'date'), now());
    if (skew === null || skew.isWrong === wrong.has(account)) return;
    if (skew.isWrong) {
      wrong.add(account);
      log.warn(
        { account },
        `${skew.sentence}: charges may count for another day, and waits may end early or late. Nothing is bought twice. ` +
          'Synchronize the clock (NTP)',
      );
    } else {
      wrong.delete(account);
      log.info({ account }, "this machine's clock agrees with the service's again");
    }
    setTrouble('clock', wrong.size > 0);
  };
}
