import type { Micros } from '../../../contract/money.ts';
import { AMOUNT_FORMATS, type AmountFormat, readTwoWays } from '../../submission/amount-format.ts';

/** An amount that the service shows, and what it must be, from elsewhere. */
export interface ExpectedAmount {
  readonly text: string;
  /** Null: nothing says what it must be. */
  readonly expected: Micros | null;
  /** What says so. */
  readonly from: string;
}

export interface AmountProposal {
  /** Null: nothing decides. */
  readonly format: AmountFormat | null;
  readonly why: string;
}

/**
 * How a service writes amounts, where at least one of them is read in two ways; null where none is. `texts`: all amounts that its
 * answers have as text. One that is read in one way decides, else one whose value is known from elsewhere.
 */
export function proposeAmounts(texts: readonly string[], expected: readonly ExpectedAmount[]): AmountProposal | null {
  const doubtful = [...texts, ...expected.map(({ text }) => text)].find((text) => readTwoWays(text) !== null);
  if (doubtful === undefined) return null;
  const clear = texts.flatMap((text) => {
    const format = readTwoWays(text) === null ? findFormat(text) : null;
    return format === null ? [] : [{ format, why: `it also writes "${text}"` }];
  });
  const proven = expected.flatMap(({ text, expected: amount, from }) => {
    const readings = readTwoWays(text);
    const fits = readings === null ? [] : AMOUNT_FORMATS.filter((format) => readings[format] === amount);
    return fits.map((format) => ({ format, why: `"${text}" must be what ${from} says` }));
  });
  // What the ledger knows to the micro-lira is no accident; the form of another text may be.
  const found = proven.length > 0 ? proven : clear;
  const [first] = found;
  if (first === undefined || found.some(({ format }) => format !== first.format))
    return { format: null, why: `"${doubtful}" can be read as two amounts, and nothing says which` };
  return first;
}

/** The format that a text can only be in; null where it fits both. */
function findFormat(text: string): AmountFormat | null {
  const bare = text.replace(/[^\d.,]/g, '');
  if (/^\d{1,3}(\.\d{3})+,\d+$/.test(bare) || /^\d+,(\d{1,2}|\d{4,})$/.test(bare)) return 'decimal_comma';
  if (/^\d{1,3}(,\d{3})+\.\d+$/.test(bare) || /^\d+\.(\d{1,2}|\d{4,})$/.test(bare)) return 'decimal_point';
  return null;
}
