import type { Audit, AuditEntry } from '../../../../src/connector/audit/audit.ts';
import { isQuestion } from '../../../../src/connector/audit/compare-facts.ts';
import type { Report } from './breaches.ts';

/** What moved the balance of an account without a purchase of the ledger. Amounts in micro-lira, all above zero. */
export interface Outside {
  /** Spent by other programs, and by index-checks that a copy of the ledger lacks. */
  readonly spent: readonly number[];
  /** Topped up, given back or restored. */
  readonly received: readonly number[];
}

export interface AuditToCheck {
  readonly report: Report;
  readonly audit: Audit;
  /** The account, as the service calls it. */
  readonly account: string;
  readonly outside: Outside;
  /** What the world did about this purchase: another program's, or an answer that showed another amount. */
  readonly mayDiffer: (entry: AuditEntry) => boolean;
  /** What the journal only assumes: it may not have been charged, and a rise is larger by so much then. */
  readonly assumed: number;
}

const sum = (amounts: readonly number[]): number => amounts.reduce((all, amount) => all + amount, 0);

/**
 * An audit leaves no question that the world did not put: each entry that differs has its cause, and the balance did nothing beyond
 * that nobody did. Two movements between two readings show as one.
 */
export function checkAudit({ report, audit, account, outside, mayDiffer, assumed }: AuditToCheck): void {
  for (const entry of audit.entries) {
    if (!isQuestion(entry) || mayDiffer(entry)) continue;
    const { reference, id, kind, status, why, journal, service } = entry;
    report(`the audit calls ${kind} ${reference ?? id} ${status} (${why}): journal ${journal}, service ${service}`, {
      ...{ account, cause: `audit ${why}` },
    });
  }
  const { externalSpent, externalReceived } = audit.totals;
  const falls = audit.windows.filter(({ external }) => external > 0).length;
  const rises = audit.windows.length - falls;
  if (externalSpent > sum(outside.spent) || falls > outside.spent.length)
    report(`the audit finds ${externalSpent} spent outside ${falls} times: ${describe(outside.spent)} were`, {
      ...{ account, cause: 'audit spent' },
    });
  if (externalReceived > sum(outside.received) + assumed || rises > outside.received.length)
    report(`the audit finds ${externalReceived} received ${rises} times: ${describe(outside.received)} were`, {
      ...{ account, cause: 'audit received' },
    });
}

const describe = (amounts: readonly number[]): string => `${sum(amounts)} in ${amounts.length} movements`;
