import { InvalidArgumentError } from 'commander';
import { type Micros, parseTry } from '../../contract/money.ts';

/** An option that is an amount of lira, which may be negative. */
export function signedAmount(text: string): Micros {
  const value = parseTry(text);
  if (value === null) throw new InvalidArgumentError('Write an amount as 0.25 or -0.25.');
  return value;
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
  const value = parseTry(text);
  if (value === null || value < 0) throw new InvalidArgumentError('Write an amount as 0.25.');
  return value;
}
