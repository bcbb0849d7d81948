import Table from 'cli-table3';
import { formatTry, type Micros } from '../../../contract/money.ts';
import type { WatchId } from '../../submission/ids.ts';

/** One line of the demo's result. */
export interface WatchLine {
  readonly watch: WatchId;
  readonly found: number;
  readonly new: number;
  readonly submitted: number;
  readonly completed: number;
  readonly failed: number;
  readonly checked: number;
  readonly inIndex: number;
  /** For submissions. */
  readonly charged: Micros;
  /** For index-checks. */
  readonly chargedChecks: Micros;
}

const number = (value: number): string => value.toLocaleString('en-US');

/** The table per watch that ends the demo. */
export function resultTable(lines: readonly WatchLine[], balance: Micros): string {
  const table = new Table({
    head: [
      'watch',
      'found',
      'new',
      'submitted',
      'completed',
      'failed',
      'in index',
      'charged',
      'checks',
      'balance left',
    ],
    colAligns: ['left', ...Array<'right'>(9).fill('right')],
    style: { head: [], border: [] },
  });
  for (const line of lines) {
    table.push([
      line.watch,
      number(line.found),
      number(line.new),
      number(line.submitted),
      number(line.completed),
      number(line.failed),
      line.checked === 0 ? '–' : `${number(line.inIndex)} of ${number(line.checked)}`,
      formatTry(line.charged),
      formatTry(line.chargedChecks),
      formatTry(balance),
    ]);
  }
  return table.toString();
}
