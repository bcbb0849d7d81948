import Table from 'cli-table3';
import { formatTry, type Micros } from '../../../contract/money.ts';
import { formatCount } from '../output/format.ts';
import type { DemoLine } from '../output/records/demo.ts';

export interface DemoRow {
  readonly line: DemoLine;
  /** What the account had when the jobs that began with this one had ended. */
  readonly balance: Micros;
}

/** The table per watch that ends the demo. */
export function formatResultTable(rows: readonly DemoRow[]): string {
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
  for (const { line, balance } of rows) {
    table.push([
      line.watch,
      formatCount(line.found),
      formatCount(line.new),
      formatCount(line.submitted),
      formatCount(line.completed),
      formatCount(line.failed),
      line.checked === 0 ? '–' : `${formatCount(line.inIndex)} of ${formatCount(line.checked)}`,
      formatTry(line.charged),
      formatTry(line.chargedChecks),
      formatTry(balance),
    ]);
  }
  return table.toString();
}
