import type { Drawing } from '../draw.ts';
import type { Cell, Column, Figure } from '../figure.ts';
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
export const tableOnly = ({
  title,
  notes = [],
  columns,
  rows,
}: {
  readonly title: string;
  readonly notes?: readonly string[];
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}): Figure => ({ title, drawing: null, legend: [], notes, open: true, table: { columns, rows } });
