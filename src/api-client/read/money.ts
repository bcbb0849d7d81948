import { listReadings } from '../../../contract/amount-text.ts';
import { isReadTwoWays, MICROS_PER_TRY, type Micros, parseDecimal } from '../../../contract/money.ts';
import { asWord, indexFields, type Json, readFirst } from './fields.ts';

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

const CURRENCY = ['currency', 'currencycode'];

type Fields = ReadonlyMap<string, Json>;

/** The fields of an object inside another one, whose currency it shares unless it names its own. */
export function indexInside(around: Fields, value: Json | undefined): Fields {
  const fields = indexFields(value);
  if (CURRENCY.some((name) => fields.has(name))) return fields;
  const shared = [...around].filter(([name]) => CURRENCY.includes(name));
  return shared.length === 0 ? fields : new Map([...fields, ...shared]);
}

/** The currency of the amounts in these fields, where it is named and is not the lira; else null. */
export function findOtherCurrency(fields: Fields): string | null {
  const named = readFirst(fields, CURRENCY, asCurrency);
  return named === null || isLira(named) ? null : named;
}

/** A name, or an object that has one: `{ "code": "TRY" }`. */
const asCurrency = (value: Json): string | null =>
  asWord(value) ?? readFirst(indexFields(value), ['code', 'name', 'symbol'], asWord);

/**
 * The first of these fields with an amount, in lira or, where its name says so, in kuruş or micro-lira. Null also when
 * the first one can be read as two amounts: a less likely field must not speak for it; and where a currency beside the
 * amount is not the lira (spec 1): what it is worth is not known.
 */
export function readMoney(fields: Fields, names: readonly string[]): Micros | null {
  const found = findMoney(fields, names);
  return found === DOUBTFUL ? null : found;
}

/** The same, from the first of these places that has an amount, or one that can be read in two ways: then null. */
export function readMoneyIn(places: readonly Fields[], names: readonly string[]): Micros | null {
  for (const place of places) {
    const found = findMoney(place, names);
    if (found === DOUBTFUL) return null;
    if (found !== null) return found;
  }
  return null;
}

/** An amount is there, and nobody can tell which. */
const DOUBTFUL = Symbol('doubtful');

function findMoney(fields: Fields, names: readonly string[]): Micros | typeof DOUBTFUL | null {
  for (const name of names) {
    const lira = fields.get(name);
    const amount = lira === undefined ? null : toMoney(lira, fields);
    if (amount !== null) return amount;
    for (const [ending, worth] of MINOR_UNITS) {
      const minor = fields.get(name + ending);
      if (typeof minor !== 'number' || !Number.isSafeInteger(minor * worth)) continue;
      if (findOtherCurrency(fields) === null) return (minor * worth) as Micros;
    }
  }
  return null;
}

/**
 * A lira amount as a number, a string or an object that may name its currency; else the one named `around` it counts. Null for
 * anything else and for other currencies.
 */
export function asMoney(value: Json, around: Fields = new Map()): Micros | null {
  const amount = toMoney(value, around);
  return amount === DOUBTFUL ? null : amount;
}

function toMoney(value: Json, around: Fields): Micros | typeof DOUBTFUL | null {
  if (typeof value !== 'number' && typeof value !== 'string') return findMoney(indexInside(around, value), AMOUNT);
  if (findOtherCurrency(around) !== null) return null;
  if (typeof value === 'number') return fromNumber(value);
  const amount = fromText(value);
  return amount === null && listReadings(value).length > 1 ? DOUBTFUL : amount;
}

const isLira = (text: string): boolean => /^(try|tl|₺|949|(turkish |türk )?lira(sı)?)$/i.test(text);

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
