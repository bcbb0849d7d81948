import { InvalidArgumentError } from 'commander';

/** Reads a day such as 2026-01-31 as its start in UTC, for an option. */
export function parseDay(text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // 2026-02-31 is read as a day in March.
  if (!Number.isNaN(at) && new Date(at).toISOString().startsWith(text)) return at;
  throw new InvalidArgumentError('Write a day such as 2026-01-31.');
}
