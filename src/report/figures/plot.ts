import type { Drawing } from '../draw.ts';
import type { Figure, Table } from '../figure.ts';
import type { Report } from '../report.ts';

export const COLOUR = {
  listed: 'var(--listed)',
  bought: 'var(--bought)',
  found: 'var(--found)',
  bar: 'var(--bought)',
  second: 'var(--second)',
  limit: 'var(--limit)',
} as const;

/** Of the whole period, with `extra` for what a figure alone has. */
export const toDrawing = (
  { since, today }: Pick<Report, 'since' | 'today'>,
  extra: Omit<Drawing, 'since' | 'today'>,
): Drawing => ({ since, today, ...extra });

/** A figure that is a table, shown open. */
export const tableOnly = (title: string, table: Table, notes: readonly string[] = []): Figure => ({
  title,
  drawing: null,
  legend: [],
  notes,
  open: true,
  table,
});
