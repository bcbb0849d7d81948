import { formatTry, isReadTwoWays, MICROS_PER_TRY, type Micros, parseDecimal, parseTry } from './money.ts';

/** Digits of other scripts that keyboards write in Turkey's neighbourhood and India: the zero of each. */
const ZEROS = [0x660, 0x6f0, 0x966];

/** The same text with the digits and separators of ASCII. */
const toAscii = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[٠-٩۰-۹०-९]/g, (digit) => {
      const code = digit.charCodeAt(0);
      return String(code - (ZEROS.findLast((zero) => zero <= code) ?? code));
    })
    .replace(/[−‒–]/g, '-')
    .replace(/[’ʼ´`٬]/g, "'")
    .replace(/٫/g, ',')
    .replace(/\s+/g, ' ')
    .trim();

/**
 * The decimal texts that a number may stand for, as people of different countries write it: thousands before decimals.
 * `1.500` and `1,500` are 1500 or 1.500; `1 500`, `1'500` and `1.500.000` hold thousands only; of two separators the last
 * one begins the decimals. Empty for what is not a number.
 */
export function listDecimals(text: string): string[] {
  const [, sign = '', bare = ''] = /^([+-]?) ?(.*)$/s.exec(toAscii(text)) ?? [];
  return readNumber(bare).map((number) => `${sign === '-' ? '-' : ''}${number}`);
}

function readNumber(bare: string): string[] {
  if (/^\d+$/.test(bare)) return [bare];
  const decimals = /^(\d*)[.,](\d*)$/.exec(bare);
  if (decimals !== null) {
    const [, whole = '', part = ''] = decimals;
    if (whole === '' && part === '') return [];
    const one = part === '' ? whole : `${whole === '' ? '0' : whole}.${part}`;
    return isReadTwoWays(one) ? [whole + part, one] : [one];
  }
  const grouped = /^([1-9]\d{0,2}([.,' _])\d{3}(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/.exec(bare);
  if (grouped === null) return [];
  const [, groups = '', , part] = grouped;
  const whole = groups.replace(/\D/g, '');
  return [part === undefined ? whole : `${whole}.${part}`];
}

const CURRENCY = '₺|tl|try|lira|liras[ıi]?|türk liras[ıi]';
const BEFORE = new RegExp(`^(?:${CURRENCY})\\s*`, 'iu');
const AFTER = new RegExp(`\\s*(?:${CURRENCY})\\.?$`, 'iu');

/** A sign may stand before the currency: "-₺3,50". */
const toBare = (text: string): string =>
  toAscii(text)
    .replace(AFTER, '')
    .replace(BEFORE, '')
    .replace(/^([+-]) ?₺ ?/, '$1');

/** Every amount of lira that somebody may mean by a text, thousands before decimals. Empty where it is no amount of lira. */
export function listReadings(text: string): Micros[] {
  return listDecimals(toBare(text)).flatMap((decimal) => parseDecimal(trimZeros(decimal)) ?? []);
}

/** Zeros at the end of decimals say nothing, however many there are. */
const trimZeros = (decimal: string): string => (decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal);

/** "1500 TRY", "1.50 TRY": an amount that everybody reads in the same way. */
export const writeTry = (amount: Micros): string =>
  amount % MICROS_PER_TRY === 0 ? `${amount / MICROS_PER_TRY} TRY` : formatTry(amount);

/** What is wrong with a text that should be an amount of at least zero. */
export function describeAmount(text: string): string {
  const readings = listReadings(text);
  if (readings.some((amount) => amount < 0)) return 'is below zero';
  if (readings.length > 1) return 'can be read as two amounts';
  const [decimal = ''] = listDecimals(toBare(text));
  if (/\.\d{7,}$/.test(trimZeros(decimal))) return 'has more than six decimals, which no amount has';
  return 'is not an amount in TRY';
}

/**
 * What to say of an option that `parseTry` has not accepted: `"1.500" can be read as two amounts. Write 1500TRY or 1.50TRY`.
 * The amounts are without a space, so that a shell takes each as one word.
 */
export function explainAmount(text: string, isAllowed: (amount: Micros) => boolean, example: string): string {
  const readings = listReadings(text)
    .filter(isAllowed)
    .map((amount) => writeTry(amount).replace(' ', ''));
  const instead = readings.length === 0 ? `an amount such as ${example}` : readings.join(' or ');
  const why = parseTry(text) === null ? describeAmount(text) : 'is too small';
  return `"${text}" ${why}. Write ${instead}.`;
}
