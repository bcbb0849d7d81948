/** What a service reports, recorded in a ledger as the connector does it: the end of a job, the verdicts of an index check. */
import assert from 'node:assert/strict';
import { beginCheck } from '../../src/ledger/index-checks/begin-check.ts';
import { recordCheck } from '../../src/ledger/index-checks/record-check.ts';
import type { Settled } from '../../src/ledger/jobs/assign-results.ts';
import { recordPoll } from '../../src/ledger/jobs/record-poll.ts';
import { settleJob } from '../../src/ledger/jobs/settle-job.ts';
import type { Ledger } from '../../src/ledger/open-ledger.ts';
import type { WatchPolicy } from '../../src/ledger/policy.ts';
import type { Verdict } from '../../src/submission/answer.ts';
import type { Reference } from '../../src/submission/ids.ts';
import { ACCOUNT, WATCH } from './ledger.ts';

interface End {
  readonly state?: 'completed' | 'partial' | 'failed';
  /** Null: its watch is not configured. */
  readonly retryFailed?: WatchPolicy['retryFailed'] | null;
  readonly account?: typeof ACCOUNT.id;
}

/** Ends a job; failed URLs are quarantined unless `retryFailed` says otherwise. */
export async function endJob(
  ledger: Ledger,
  reference: Reference,
  { state = 'completed', retryFailed = { times: 0, afterMs: 0 }, account = ACCOUNT.id }: End = {},
): Promise<Settled> {
  await recordPoll(ledger, account, reference, { state, terminalStates: ['completed', 'partial', 'failed'] });
  return settleJob(ledger, account, reference, { retryFailed });
}

/** One index check of what is due. */
export async function runCheck(
  ledger: Ledger,
  policy: Parameters<typeof beginCheck>[1]['policy'],
  decide: (url: string) => Verdict,
): Promise<void> {
  const step = await beginCheck(ledger, { account: ACCOUNT, watch: WATCH.id, spend: WATCH.spend, policy });
  assert.ok(step.kind === 'send', step.kind);
  const results = step.urls.map((url) => ({ url, verdict: decide(url), statusName: null }));
  const money = { chargeState: 'charged', charged: null, balance: null } as const;
  const outcome = { kind: 'checked', results, usable: true, ...money } as const;
  await recordCheck(ledger, step.check, { attempt: step.attempt, outcome, requestId: 'q' }, policy);
}
