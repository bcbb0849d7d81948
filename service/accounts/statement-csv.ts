import { decimalTry } from '../../contract/money.ts';
import { toCsv } from './csv.ts';
import type { Statement } from './statement.ts';

/** A statement as CSV: the opening balance, every entry oldest first, the closing balance. Times are in UTC. */
export function statementCsv({ from, to, opening, closing, entries }: Statement): string {
  const header = ['time_utc', 'kind', 'subject', 'reference', 'reason', 'amount_try', 'balance_try'];
  const balance = (at: number, kind: string, amount: typeof opening) =>
    [new Date(at).toISOString(), kind, '', null, null, null, decimalTry(amount)] as const;
  return toCsv(header, [
    balance(from, 'opening_balance', opening),
    ...entries.map((entry) => [
      new Date(entry.created_at).toISOString(),
      entry.kind,
      entry.subject,
      entry.reference,
      entry.reason,
      decimalTry(entry.amount),
      decimalTry(entry.balance_after),
    ]),
    balance(to, 'closing_balance', closing),
  ]);
}
