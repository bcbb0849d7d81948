// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are those of other files
import { MONEY } from './folders.ts';
import type { Mutation } from './mutation.ts';
import { KEEPS_ITS_TURN } from './second-layers.ts';

/** Requests, and what goes on by itself. */
export const GOES_ON_BY_ITSELF: readonly Mutation[] = [
  {
    name: 'sends without a key',
    file: 'src/api-client/client.ts',
    from: "'idempotency-key': post.key }),",
    to: '}),',
  },
  {
    name: 'makes new bytes at each attempt',
    file: 'activities/dispatch.ts',
    from: 'submit((client) => client.submit(sending.body, key))',
    to: "submit((client) => client.submit(sending.body.replace(/^\\{/, `{${' '.repeat(attempt)}`), key))",
  },
  {
    name: 'asks for no list while nothing is to be sent',
    file: 'activities/dispatch.ts',
    from: 'if (stop !== null) return stop;',
    to: '',
    needs: ['a list that can be read again, and nothing to send'],
  },
  {
    name: 'asks for no key while nothing is to be sent',
    file: 'activities/dispatch.ts',
    from: 'if (stop !== null) return stop;',
    to: '',
    also: [
      {
        file: `${MONEY}/confirm-account.ts`,
        from: `await endStops(tx, account, 'key', 'identity');`,
        to: `await endStops(tx, account, 'identity');`,
      },
      { file: 'src/ledger/index-checks/record-check.ts', from: `await endStops(tx, row.account_id, 'key');`, to: '' },
    ],
    needs: ['a key that works again, and nothing to send'],
  },
  {
    name: 'closes the index-checks of a watch only for itself',
    file: 'src/ledger/plans/make-plan.ts',
    from: 'await closeExpiredChecks(tx, input.account, now());',
    to: '',
    also: [
      { file: 'activities/dispatch.ts', from: 'await endExpiredChecks(ledger, getAccount(account));', to: '' },
      { file: 'activities/dispatch.ts', from: 'await endExpiredChecks(ledger, account);', to: '' },
    ],
    needs: ['check in flight, its watch removed'],
  },
  {
    name: 'does not track recovered jobs (fixed: money 12)',
    file: 'activities/trackers.ts',
    from: '...(await listRecoveredSubmissions(deps.ledger, account, tracked.lastBatch)),',
    to: '',
    needs: ['copy that lacks an open job'],
  },
  {
    name: 'does not track a job again whose tracker has ended (fixed: money 13)',
    file: 'activities/trackers.ts',
    from: "workflowIdReusePolicy: 'ALLOW_DUPLICATE',",
    to: "workflowIdReusePolicy: 'REJECT_DUPLICATE',",
    needs: ['copy of an open job'],
  },
  {
    name: 'names no job that is overdue (fixed: money 15)',
    file: 'src/ledger/jobs/overdue-jobs.ts',
    from: "b.state = 'accepted' AND b.settled_at IS NULL",
    to: "b.state = 'none' AND b.settled_at IS NULL",
    needs: ['job overdue'],
  },
  {
    name: 'forgets a tracker that could not be started (fixed: money 14)',
    file: 'activities/trackers.ts',
    from: 'missing.set(reference, job);',
    to: 'references.add(reference);',
    needs: ['no tracker can be started'],
  },
  {
    name: 'never tries again what waited for money',
    file: `${MONEY}/account-status.ts`,
    from: "UPDATE batches SET ${assignWait(null)} WHERE account_id = ${account} AND state IN ('planned', 'sending')",
    to: "UPDATE batches SET not_before = ${9e15}, waits_since = 0 WHERE account_id = ${account} AND state IN ('planned', 'sending')",
    needs: ['topped up above a floor'],
  },
  {
    name: 'does not see that a key works again',
    file: 'activities/dispatch.ts',
    from: "if (answer.body.kind === 'success') {",
    to: "if (answer.body.kind === 'none') {",
    needs: ['key refused for a while'],
  },
  {
    name: 'stops at a list that fails (fixed: money 9)',
    file: 'activities/reconcile.ts',
    from: 'await postponeLookup(ledger, batch, now() + Math.max(retryAfterMs, 1_000), (error as Error).message);',
    to: 'throw error;',
    also: [KEEPS_ITS_TURN],
    needs: ['the list fails for hours'],
  },
  {
    name: 'starts no run again after a decision (fixed: seed 20034)',
    file: 'workflows/hold.ts',
    from: 'taken = recorded ?? taken;',
    to: ';',
    needs: ['approved, then reset'],
  },
  {
    name: 'buys again what a recovered job has bought (fixed: focused seed 343)',
    file: 'src/ledger/plans/resubmission.ts',
    from: 'if (isBoughtByRecoveredJob(row))',
    to: 'if (row.id < 0)',
    needs: ['copy before a change'],
  },
];
