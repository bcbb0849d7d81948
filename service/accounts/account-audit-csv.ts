import { decimalTry, ZERO } from '../../contract/money.ts';
import type { AccountAudit } from './account-audit.ts';
import { toCsv } from './csv.ts';
import type { EntryKind } from './entries.ts';

export const KINDS: readonly EntryKind[] = ['top_up', 'charge', 'restore', 'refund', 'adjustment'];

/** Every month of an account as a row, and what its sums are compared with as the last. */
export function accountAuditCsv({ months, balance }: AccountAudit): string {
  const header = ['month', 'opening_try', ...KINDS.map((kind) => `${kind}_try`), 'closing_try', 'entries'];
  return toCsv(header, [
    ...months.map(({ month, opening, totals, closing, count }) => [
      month,
      decimalTry(opening),
      ...KINDS.map((kind) => decimalTry(totals[kind] ?? ZERO)),
      decimalTry(closing),
      count,
    ]),
    ['balance', null, ...KINDS.map(() => null), decimalTry(balance), null],
  ]);
}
