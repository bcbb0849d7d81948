import { InvalidArgumentError } from 'commander';

/** Parses an option that is a whole number. */
export function parseWholeNumber(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}
