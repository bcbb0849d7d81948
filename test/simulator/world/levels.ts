import type { ServiceLevel } from '../../../contract/states.ts';

export const LEVELS = ['standard', 'fast'] as const satisfies readonly ServiceLevel[];

/** Of a URL, in micro-lira: one amount for both levels, or one for each. */
export type Price = number | Readonly<Record<ServiceLevel, number>>;

export const getLevelPrice = (price: Price, level: ServiceLevel): number =>
  typeof price === 'number' ? price : price[level];

export const describePrice = (price: Price | null): string =>
  price === null || typeof price === 'number' ? `${price}` : `${price.standard} standard, ${price.fast} fast`;
