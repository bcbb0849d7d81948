import { listReadings } from '../../contract/amount-text.ts';
import { formatTry, type Micros } from '../../contract/money.ts';

/** How a service writes an amount that two countries read differently: the account's setting `amounts`. */
export const AMOUNT_FORMATS = ['decimal_point', 'decimal_comma'] as const;
export type AmountFormat = (typeof AMOUNT_FORMATS)[number];

/** The amounts that a text such as "1.500 TL" means in each format; null where all countries read the same one in it. */
export function readTwoWays(text: string): Readonly<Record<AmountFormat, Micros>> | null {
  const [thousands, decimals, more] = listReadings(text);
  if (thousands === undefined || decimals === undefined || more !== undefined) return null;
  // The separator of the text is the decimal one of the smaller amount.
  return /[.]/.test(text)
    ? { decimal_point: decimals, decimal_comma: thousands }
    : { decimal_point: thousands, decimal_comma: decimals };
}

/** The two amounts of a text, and the setting that decides: "1.500 TL" is 1500.00 TRY or 1.50 TRY. */
export function describeTwoWays(text: string): string {
  const readings = readTwoWays(text);
  if (readings === null) return `"${text}" is no amount`;
  const choices = AMOUNT_FORMATS.map((format) => `${formatTry(readings[format])} (${format})`);
  return `"${text}" can be read as ${choices.join(' or ')}; set amounts of the account to the right one`;
}
