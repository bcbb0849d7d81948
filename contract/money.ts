/**
 * Money is an integer number of micro-lira (1 TRY = 1,000,000), because prices below a kuruş exist and floats
 * do not add up. It becomes text at the edges only.
 */
export type Micros = number & { readonly __brand: 'Micros' };

export const CURRENCY = 'TRY';
export const MICROS_PER_TRY = 1_000_000;

/** Price of one index-check, per URL (spec 4.8 rule 1): 0.50 TRY. */
export const INDEX_CHECK_PRICE = 500_000 as Micros;

export const ZERO = 0 as Micros;

/** Checks that a number is a whole, safely representable amount. Throws a RangeError: money is never rounded silently. */
export function micros(value: number): Micros {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not an exact amount of micro-lira: ${value}`);
  return value as Micros;
}

/** Adds amounts; throws when the sum leaves the exactly representable range (±9 billion TRY). */
export function sumMicros(...amounts: readonly Micros[]): Micros {
  let total = 0;
  for (const amount of amounts) total = micros(total + amount);
  return micros(total);
}

/** Price times a whole count. */
export function timesMicros(price: Micros, count: number): Micros {
  return micros(price * count);
}

/** The amount with the other sign. Never -0, which is not equal to 0 everywhere. */
export function negateMicros(amount: Micros): Micros {
  return micros(amount === 0 ? 0 : -amount);
}

/** The largest of at least one amount. */
export function maxMicros(first: Micros, ...others: readonly Micros[]): Micros {
  return micros(Math.max(first, ...others));
}

/** One of `parts` equal parts of an amount. Throws a RangeError when the amount cannot be split so. */
export function splitMicros(amount: Micros, parts: number): Micros {
  return micros(amount / parts);
}

/**
 * A decimal that two countries read differently: Turkey and Germany write 1.500 for 1500. `0.375` is read one way, because
 * nobody writes 375 so, and so is `1.5000`.
 */
export const READ_TWO_WAYS = '0*[1-9]\\d{0,2}\\.\\d{3}';

const TWO_WAYS = new RegExp(`^-?${READ_TWO_WAYS}$`);

/** Whether a decimal may mean thousands as well. */
export const isReadTwoWays = (decimal: string): boolean => TWO_WAYS.test(decimal);

/**
 * Reads an amount of lira that somebody has written ("0.25", "50 TRY", "1000"). At most six decimals: more cannot be charged.
 * Returns null when the text is not such an amount, or when people may read another one in it ("1.500"): `listReadings`
 * has both.
 */
export function parseTry(text: string): Micros | null {
  const decimal = text.replace(/\s*TRY\s*$/i, '').trim();
  return isReadTwoWays(decimal) ? null : parseDecimal(decimal);
}

/** Reads the decimal of an amount of lira as programs write it: "1.500" is 1.50. Null when it is none. */
export function parseDecimal(text: string): Micros | null {
  const match = /^(-?)(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text);
  if (match === null) return null;
  const whole = Number(match[2]) * MICROS_PER_TRY;
  const part = Number((match[3] ?? '').padEnd(6, '0'));
  const value = whole + part;
  if (!Number.isSafeInteger(value)) return null;
  return (match[1] === '-' && value !== 0 ? -value : value) as Micros;
}

/** "12.50 TRY": at least two decimals, at most six, and never a text that people read in two ways. */
export function formatTry(amount: Micros): string {
  return `${decimalTry(amount)} ${CURRENCY}`;
}

/** "12.50": the decimal text of an amount, without the currency. */
export function decimalTry(amount: Micros): string {
  const sign = amount < 0 ? '-' : '';
  const absolute = Math.abs(amount);
  const whole = Math.floor(absolute / MICROS_PER_TRY);
  const part = String(absolute % MICROS_PER_TRY).padStart(6, '0');
  const decimal = `${sign}${whole}.${part.slice(0, 2)}${part.slice(2).replace(/0+$/, '')}`;
  return isReadTwoWays(decimal) ? `${decimal}0` : decimal;
}
