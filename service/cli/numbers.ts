import { InvalidArgumentError } from 'commander';
import { type Micros, parseTry } from '../../contract/money.ts';

/** An option that is a whole number. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('write a whole number.');
  return Number(text);
}

/** An option that is an amount of lira. */
export function amount(text: string): Micros {
  const value = parseTry(text);
  if (value === null || value < 0) throw new InvalidArgumentError('write an amount as 0.25.');
  return value;
}
