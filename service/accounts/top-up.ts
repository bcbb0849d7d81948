import { formatTry, type Micros, micros } from '../../contract/money.ts';
import type { Queryable } from '../../src/database/database.ts';
import { type Account, AccountError, lockAccount } from './account.ts';
import { OPERATOR, type Operator, recordEvent } from './audit-events.ts';
import { credit, findByReference, InsufficientBalanceError } from './entries.ts';

export interface Movement {
  readonly amount: Micros;
  /** The operator's own: an invoice, a transfer. The same one again changes nothing. */
  readonly reference?: string;
  readonly reason?: string;
}

export interface Moved {
  readonly account: Account;
  /** The reference was used before for the same amount: nothing was changed now. */
  readonly repeated: boolean;
}

/** Adds money that the customer paid. Only inside a transaction. */
export async function topUp(
  tx: Queryable,
  account: Account,
  movement: Movement,
  now: number,
  by: Operator = OPERATOR,
): Promise<Moved> {
  if (movement.amount <= 0) throw new AccountError('a top-up must be more than 0; nothing was changed');
  return move(tx, account, 'top_up', movement, now, by);
}

/** Corrects the balance up or down. Only inside a transaction. */
export async function adjustBalance(
  tx: Queryable,
  account: Account,
  movement: Required<Movement>,
  now: number,
  by: Operator = OPERATOR,
): Promise<Moved> {
  if (movement.amount === 0) throw new AccountError('an adjustment must not be 0; nothing was changed');
  return move(tx, account, 'adjustment', movement, now, by);
}

const EVENTS = { top_up: 'balance.topped_up', adjustment: 'balance.adjusted' } as const;
const SUBJECTS = { top_up: 'top-up', adjustment: 'adjustment' } as const;

async function move(
  tx: Queryable,
  account: Account,
  kind: keyof typeof EVENTS,
  movement: Movement,
  now: number,
  by: Operator,
) {
  const { amount, reference = null, reason = null } = movement;
  for (const text of [reference, reason]) if (text !== null) assertText(text);
  const locked = await lockAccount(tx, account.id);
  const earlier = reference === null ? undefined : await findByReference(tx, account.id, reference);
  if (earlier !== undefined) {
    if (earlier.kind === kind && earlier.amount === amount) return { account, repeated: true };
    throw new AccountError(
      `the reference "${reference}" belongs to a ${SUBJECTS[earlier.kind as 'top_up'] ?? earlier.kind} of ` +
        `${formatTry(earlier.amount)}; nothing was changed`,
    );
  }
  try {
    const balance = await credit(tx, locked, { kind, amount, subject: SUBJECTS[kind], reference, reason }, now);
    const details = { amount_micros: amount, balance_micros: balance, reference, reason };
    await recordEvent(tx, { account: account.id, event: EVENTS[kind], actor: by, details }, now);
    return { account: { ...account, balance }, repeated: false };
  } catch (error) {
    if (!(error instanceof InsufficientBalanceError)) throw error;
    throw new AccountError(
      `the balance of ${formatTry(account.balance)} does not cover ${formatTry(micros(-amount))}; nothing was changed`,
    );
  }
}

/** Operator's text that is stored and shown. */
export function assertText(text: string): void {
  if (!/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(text) || text.trim() === '') {
    throw new AccountError('a reason or reference must have 1 to 200 printable characters; nothing was changed');
  }
}
