import { BATCHES, SUBMISSION } from './folders.ts';
import type { Mutation } from './mutation.ts';

/** Lookups. */
export const LOOKUPS: readonly Mutation[] = [
  {
    name: 'trusts the first list that does not have the job',
    file: `${BATCHES}/record-reconciled.ts`,
    from: 'if (now - absentAt < confirmMs) {',
    to: 'if (now < 0) {',
    actsAtEnd: true,
    needs: ['lost, then refused', 'list lags'],
  },
  {
    name: 'takes any job with the first URL for the batch',
    file: `${SUBMISSION}/reconcile.ts`,
    from: "if (project !== null && parseTag(project) !== null) return { kind: 'other' };",
    to: "if (project !== null && parseTag(project) !== null) return { kind: 'same' };",
    actsAtEnd: true,
    needs: ['lost beside a job of another program'],
  },
  {
    name: 'does not know its own job in the list',
    file: `${SUBMISSION}/reconcile.ts`,
    from: "if (project?.includes(batch.tag) === true) return { kind: 'same' };",
    to: "if (project?.includes(batch.tag) === true) return { kind: 'other' };",
    actsAtEnd: true,
    needs: ['lost, then refused'],
  },
  {
    name: 'compares the history with the ledger never',
    file: 'activities/history-guard.ts',
    from: 'if (held === null && lost.length === 0 && isRecent) {',
    to: 'if (now() > 0) {',
    actsAtEnd: true,
    needs: ['copy, then more pages'],
  },
  {
    name: 'holds an account for a job that another comparison has found (fixed: seed 38)',
    file: 'activities/compare-history.ts',
    from: 'return ours.length === 0 ? ours : [...(await selectUnknown(this.#scope.ledger, this.#scope.account, ours))];',
    to: 'return ours;',
    actsAtEnd: true,
    needs: ['two comparisons at once'],
  },
  {
    name: 'does not track a job accepted long before the next step (fixed: seed 38)',
    file: 'activities/trackers.ts',
    from: 'Math.min(tracked.listedAt, listedAt) - RECENT_MS',
    to: 'deps.now() - RECENT_MS',
    needs: ['no tracker, and its worker dies'],
  },
  {
    name: 'does not start the dispatcher for a run that waits (fixed: seed 30390)',
    file: 'activities/runs.ts',
    from: 'if (shouldEnsureDispatcher(attempt, progress.unanswered + due, isShown)) {',
    to: 'if (attempt < 0) {',
    needs: ['copy of a batch that waits'],
  },
];
