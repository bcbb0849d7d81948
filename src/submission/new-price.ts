import { formatTry, type Micros, micros } from '../../contract/money.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import { formatInstant } from './instant.ts';

/** A price of a URL that is not what it was. */
export interface NewPrice {
  readonly service: ServiceLevel;
  readonly before: Micros;
  readonly after: Micros;
  readonly since: number;
  /** `price_per_url` of the account; null when it is not set. */
  readonly configured: Micros | null;
}

/** The same, and what it does to the runs of the next 24 hours. */
export interface PriceEffect extends NewPrice {
  readonly urls: number;
  readonly cost: Micros;
  /** At the former price. */
  readonly costBefore: Micros;
}

/** A total that is rounded to a kuruş shows the price of a URL to less than a kuruş. */
const LEAST_CHANGE = micros(10_000);
/** A new price is reported for this long, unless the configuration names it before. */
const REPORTED_MS = 7 * 86_400_000;

export const isOtherPrice = (before: Micros, after: Micros): boolean => Math.abs(after - before) >= LEAST_CHANGE;

export const isReported = ({ after, since, configured }: Omit<NewPrice, 'service' | 'before'>, now: number): boolean =>
  now - since < REPORTED_MS && configured !== after;

/** `fast: 0.50 TRY a URL since 2026-11-22 14:10 UTC, 0.25 TRY before; price_per_url is 0.25 TRY`. */
export function formatNewPrice({ service, before, after, since, configured }: NewPrice): string {
  const changed = `${service}: ${formatTry(after)} a URL since ${formatInstant(since)}, ${formatTry(before)} before`;
  return configured === null ? changed : `${changed}; price_per_url is ${formatTry(configured)}`;
}

/** The same, and what it does to the next runs where they buy at this service level. */
export function formatPriceEffect({ urls, cost, costBefore, ...price }: PriceEffect): string {
  const changed = formatNewPrice(price);
  return urls === 0
    ? changed
    : `${changed}; the next runs cost about ${formatTry(cost)} in place of ${formatTry(costBefore)}`;
}
