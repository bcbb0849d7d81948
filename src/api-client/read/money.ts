import { listReadings } from '../../../contract/amount-text.ts';
import { MICROS_PER_TRY, type Micros } from '../../../contract/money.ts';
import { type AmountFormat, readTwoWays } from '../../submission/amount-format.ts';
import { asCount, asWord, getField, indexFields, type Json, readFirst } from './fields.ts';

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

/** Reads amounts of lira. */
export interface MoneyReader {
  /**
   * The first of these fields with an amount, in lira or, where its name says so, in kuruş or micro-lira; from the first of
   * these places that has one. Null also when that one can be read as two amounts: a less likely field must not speak for it;
   * and where a currency beside the amount is not the lira (spec 1): what it is worth is not known.
   */
  readIn(places: readonly Fields[], names: readonly string[]): Micros | null;
  /** The text there that can be read as two amounts, where `readIn` returns null for it. */
  findDoubtful(places: readonly Fields[], names: readonly string[]): string | null;
}

/** An amount that countries read differently, and nobody has said which. */
class Doubtful {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Found = Micros | Doubtful | null;

/** `format`: how the service writes amounts, as the account's setting says; null: what is read in two ways is not read. */
export function createMoneyReader(format: AmountFormat | null): MoneyReader {
  const findIn = (places: readonly Fields[], names: readonly string[]): Found => {
    for (const place of places) {
      const found = find(place, names);
      if (found !== null) return found;
    }
    return null;
  };

  function find(fields: Fields, names: readonly string[]): Found {
    for (const name of names) {
      const isMinor = MINOR_UNITS.some(([ending]) => name.endsWith(ending));
      const lira = isMinor ? undefined : getField(fields, name);
      const amount =
        lira === undefined ? null : typeof lira === 'number' ? toScaled(lira, fields) : toMoney(lira, fields, names);
      if (amount !== null) return amount;
      for (const [ending, worth] of MINOR_UNITS) {
        const minor = getField(fields, name.endsWith(ending) ? name : name + ending);
        if (typeof minor !== 'number' || !Number.isSafeInteger(minor * worth)) continue;
        if (findOtherCurrency(fields) === null) return (minor * worth) as Micros;
      }
    }
    return null;
  }

  /** A number, in the units that an `exponent` beside it says: `{ "balance": 125, "exponent": 2 }` is 1.25. */
  function toScaled(value: number, around: Fields): Found {
    const [, said = null] = [...around].find(([name]) => name.endsWith('exponent')) ?? [];
    const exponent = asCount(said);
    if (exponent === null || exponent > 6) return toMoney(value, around, AMOUNT);
    const micros = value * 10 ** (6 - exponent);
    return findOtherCurrency(around) === null && Number.isSafeInteger(micros) ? (micros as Micros) : null;
  }

  /** A number, a text or an object that may name its currency; else the one named `around` it counts. */
  function toMoney(value: Json, around: Fields, names: readonly string[]): Found {
    // `cost: { charge, refund, total }`: what was asked for comes before what is left of it.
    if (typeof value !== 'number' && typeof value !== 'string')
      return find(indexInside(around, value), names === AMOUNT ? AMOUNT : [...names, ...AMOUNT]);
    if (findOtherCurrency(around) !== null) return null;
    return typeof value === 'number' ? fromNumber(value) : fromText(value, format);
  }

  return {
    readIn(places, names) {
      const found = findIn(places, names);
      return found instanceof Doubtful ? null : found;
    },
    findDoubtful(places, names) {
      const found = findIn(places, names);
      return found instanceof Doubtful ? found.text : null;
    },
  };
}

const isLira = (text: string): boolean => /^(try|tl|₺|949|(turkish |türk )?lira(sı)?)$/i.test(text);

/** A float in lira must be exact to the micro-lira, else it is rejected: 0.30000000000000004 is 0.30. */
function fromNumber(value: number): Micros | null {
  const micros = Math.round(value * MICROS_PER_TRY);
  if (!Number.isSafeInteger(micros) || Math.abs(value * MICROS_PER_TRY - micros) > 0.01) return null;
  return (micros === 0 ? 0 : micros) as Micros;
}

/**
 * "12.50", "12.50 TRY", "₺1,234.50", "1.234,50 TL", "0,375 TL". A text that countries read differently is read as `format` says, or
 * not at all: "1.000 TL", "1,234". Without a setting, a decimal alone is what programs write: "12.500" without a currency is 12.50.
 */
function fromText(text: string, format: AmountFormat | null): Found {
  const twoWays = readTwoWays(text);
  if (twoWays === null) return listReadings(text)[0] ?? null;
  if (format !== null) return twoWays[format];
  return /^[\d.\s-]+$/.test(text) ? twoWays.decimal_point : new Doubtful(text);
}
