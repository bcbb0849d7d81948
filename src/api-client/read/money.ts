import { listReadings } from '../../../contract/amount-text.ts';
import { isReadTwoWays, MICROS_PER_TRY, type Micros, parseDecimal } from '../../../contract/money.ts';
import { indexFields, type Json } from './fields.ts';

/** Suffixes of field names whose amounts are not in lira, with the value of one unit in micro-lira. */
const MINOR_UNITS = [
  ['kurus', 10_000],
  ['minor', 10_000],
  ['minorunits', 10_000],
  ['cents', 10_000],
  ['micros', 1],
] as const;

/** Names of the amount field inside an object, the likeliest first. */
const AMOUNT = ['amount', 'value', 'available', 'current', 'balance', 'total'];

/**
 * The first of these fields with an amount, in lira or, where its name says so, in kuruş or micro-lira. Null also when
 * the first one can be read as two amounts: a less likely field must not speak for it.
 */
export function readMoney(fields: ReadonlyMap<string, Json>, names: readonly string[]): Micros | null {
  for (const name of names) {
    const lira = fields.get(name);
    const amount = lira === undefined ? null : asMoney(lira);
    if (amount !== null || (typeof lira === 'string' && listReadings(lira).length > 1)) return amount;
    for (const [ending, worth] of MINOR_UNITS) {
      const minor = fields.get(name + ending);
      if (typeof minor === 'number' && Number.isSafeInteger(minor * worth)) return (minor * worth) as Micros;
    }
  }
  return null;
}

/** A lira amount as a number, a string or an object with a currency. Null for anything else and for other currencies. */
export function asMoney(value: Json): Micros | null {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value === 'string') return fromText(value);
  const fields = indexFields(value);
  if (fields.size === 0) return null;
  const currency = fields.get('currency') ?? fields.get('currencycode') ?? 'TRY';
  if (typeof currency !== 'string' || !isLira(currency)) return null;
  return readMoney(fields, AMOUNT);
}

const isLira = (text: string): boolean => /^(try|tl|₺)$/i.test(text.trim());

/** A float in lira must be exact to the micro-lira, else it is rejected: 0.30000000000000004 is 0.30. */
function fromNumber(value: number): Micros | null {
  const micros = Math.round(value * MICROS_PER_TRY);
  if (!Number.isSafeInteger(micros) || Math.abs(value * MICROS_PER_TRY - micros) > 0.01) return null;
  return (micros === 0 ? 0 : micros) as Micros;
}

/**
 * "12.50", "12.50 TRY", "₺1,234.50", "1.234,50 TL". A string that countries read differently is rejected: "1.000 TL", "1,234".
 * A decimal alone is what programs write, so "12.500" without a currency is 12.50.
 */
function fromText(text: string): Micros | null {
  const bare = text.replace(/\b(try|tl)\b|₺|\s/gi, '');
  if (/^-?\d{1,3}(,\d{3})+\.\d{1,6}$/.test(bare)) return parseDecimal(bare.replaceAll(',', ''));
  if (/^-?\d{1,3}(\.\d{3})+,\d{1,6}$/.test(bare)) return parseDecimal(bare.replaceAll('.', '').replace(',', '.'));
  if (/^-?\d+,\d{2}$/.test(bare)) return parseDecimal(bare.replace(',', '.'));
  return isReadTwoWays(bare) && /[^\d.\s-]/.test(text) ? null : parseDecimal(bare);
}
