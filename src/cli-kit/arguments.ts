import { createInterface } from 'node:readline/promises';
import { InvalidArgumentError } from 'commander';
import { explainAmount } from '../../contract/amount-text.ts';
import { type Micros, parseTry } from '../../contract/money.ts';

/** Parses an option that is a whole number. */
export function parseWholeNumber(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}

/** Makes what parses an option that is an amount of lira. `example`: what to write instead of one that cannot be read. */
export const createAmountParser =
  (isAllowed: (amount: Micros) => boolean, example: string) =>
  (text: string): Micros => {
    const amount = parseTry(text);
    if (amount !== null && isAllowed(amount)) return amount;
    throw new InvalidArgumentError(explainAmount(text, isAllowed, example));
  };

/** Parses an option that is a day such as 2026-01-31, as its start in UTC. */
export function parseDay(text: string): number {
  const at = findDay(text);
  if (at !== null) return at;
  throw new InvalidArgumentError('Write a day such as 2026-01-31.');
}

/** The start of a day in UTC; null for a text that is none. */
export function findDay(text: string): number | null {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // 2026-02-31 is read as a day in March.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) ? at : null;
}

/** Asks on the terminal. Standard output stays for data. */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
