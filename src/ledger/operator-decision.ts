import { type Query, sql } from '../database/sql.ts';
import type { Reason } from '../submission/reason.ts';
import { assignReason } from './reason-columns.ts';
import { toLatestSql } from './version-sql.ts';

/**
 * The part of an UPDATE of `urls` that records what an operator decided about URLs whose purchase has no end. `release`:
 * they are due again. `leave`: they count as bought as they were when they were sent, so a change that a crawl has seen since
 * stays due.
 */
export const assignDecision = (how: 'release' | 'leave', reason: Reason): Query =>
  how === 'release'
    ? sql`due = 'released', due_at = NULL, guard_passed = 1, planned_version = NULL, ${assignReason(reason)}`
    : sql`bought_version = ${toLatestSql('bought_version', 'planned_version')}, planned_version = NULL,
        ${assignReason(reason)}`;
