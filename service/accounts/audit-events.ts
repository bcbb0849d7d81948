import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId } from './account.ts';

/** The events of the audit log. An event never changes its name. */
export type AuditEventName =
  | 'account.created'
  | 'account.suspended'
  | 'account.resumed'
  | 'account.closed'
  | 'balance.topped_up'
  | 'balance.adjusted'
  | 'balance.refunded'
  | 'price.changed'
  | 'key.created'
  | 'key.revoked'
  | 'key.regenerated'
  | 'sign_in.succeeded'
  | 'session.ended'
  | 'password.changed'
  | 'password.reset'
  | 'password.reset_link_created'
  | 'submission.requeued'
  | 'submission.failed';

/** The actor: a customer on the dashboard, or the operator at the command line. */
export type Actor = { readonly kind: 'dashboard'; readonly address: string } | Operator;

/** The operator; `address` is who and where: the user at the machine, and from where they are connected. */
export interface Operator {
  readonly kind: 'operator';
  readonly address?: string;
}

export const OPERATOR: Operator = { kind: 'operator' };

/** The customer who sent a request of the dashboard. */
export const toCustomer = ({ address }: { readonly address: string }): Actor => ({ kind: 'dashboard', address });

export interface AuditEvent {
  readonly id: number;
  /** The name of the account. */
  readonly account: string;
  readonly event: AuditEventName;
  readonly actor: Actor['kind'];
  readonly address: string | null;
  readonly details: Readonly<Record<string, string | number | null>>;
  readonly created_at: number;
}

interface NewEvent {
  readonly account: AccountId;
  readonly event: AuditEventName;
  readonly actor: Actor;
  /** Ids, names and amounts. Never a key, a password or a token. */
  readonly details?: AuditEvent['details'];
}

/** Appends to the audit log, in the transaction of the change itself. */
export async function recordEvent(tx: Queryable, { account, event, actor, details = {} }: NewEvent, now: number) {
  const address = actor.address ?? null;
  await tx.run(sql`
    INSERT INTO audit_events (account_id, event, actor, address, details, created_at)
    VALUES (${account}, ${event}, ${actor.kind}, ${address}, ${JSON.stringify(details)}, ${now})`);
}

/** The newest events of an account. Uses audit_events_of_account. */
export async function latestEvents(db: Queryable, account: AccountId, limit: number): Promise<AuditEvent[]> {
  const rows = await db.all(sql<EventRow>`
    SELECT e.id, a.name AS account, e.event, e.actor, e.address, e.details, e.created_at
    FROM audit_events AS e JOIN accounts AS a ON a.id = e.account_id
    WHERE e.account_id = ${account} ORDER BY e.id DESC LIMIT ${limit}`);
  return rows.map(toEvent);
}

/** The events of all accounts that came after an id, oldest first. */
export async function eventsAfter(db: Queryable, after: number, limit: number): Promise<AuditEvent[]> {
  const rows = await db.all(sql<EventRow>`
    SELECT e.id, a.name AS account, e.event, e.actor, e.address, e.details, e.created_at
    FROM audit_events AS e JOIN accounts AS a ON a.id = e.account_id
    WHERE e.id > ${after} ORDER BY e.id LIMIT ${limit}`);
  return rows.map(toEvent);
}

type EventRow = Omit<AuditEvent, 'details'> & { readonly details: string };

const toEvent = (row: EventRow): AuditEvent => ({
  ...row,
  details: JSON.parse(row.details) as AuditEvent['details'],
});
