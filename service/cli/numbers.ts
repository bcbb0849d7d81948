import { InvalidArgumentError } from 'commander';
import { explainAmount } from '../../contract/amount-text.ts';
import { type Micros, parseTry } from '../../contract/money.ts';

/** An option that is an amount of lira, which may be negative. */
export function signedAmount(text: string): Micros {
  return readAmount(text, () => true);
}

/** An option that is a day, as its beginning in UTC. */
export function day(text: string): number {
  const at = Date.parse(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(at))
    throw new InvalidArgumentError('Write a day as 2026-11-30.');
  return at;
}

/** An option that is an amount of lira. */
export function amount(text: string): Micros {
  return readAmount(text, (value) => value >= 0);
}

function readAmount(text: string, isAllowed: (amount: Micros) => boolean): Micros {
  const value = parseTry(text);
  if (value !== null && isAllowed(value)) return value;
  throw new InvalidArgumentError(explainAmount(text, isAllowed, '0.25TRY'));
}
