/**
 * A worker for `kill.test.ts` to kill: runs and sends on one ledger, as fast as it can, until a signal ends it.
 * Arguments: the ledger's URL, the base URL of the service.
 */

import { type ApiClient, createApiClient } from '../../../src/api-client/client.ts';
import { sql } from '../../../src/database/sql.ts';
import { listPendingBatches } from '../../../src/ledger/batches/batch-queries.ts';
import { beginSend } from '../../../src/ledger/batches/begin-send.ts';
import { recordAnswer } from '../../../src/ledger/batches/record-answer.ts';
import { listOpenSubmissions, recordPoll } from '../../../src/ledger/jobs/record-poll.ts';
import { settleJob } from '../../../src/ledger/jobs/settle-job.ts';
import { LedgerError } from '../../../src/ledger/ledger-error.ts';
import { type Ledger, openLedger } from '../../../src/ledger/open-ledger.ts';
import { planRun } from '../../../src/ledger/plans/make-plan.ts';
import { endRun } from '../../../src/ledger/runs/runs.ts';
import type { RunId } from '../../../src/submission/ids.ts';
import { decideOutcome } from '../../../src/submission/outcome.ts';
import { ACCOUNT, crawled, WATCH } from '../ledger.ts';

const policies = { account: ACCOUNT, watch: WATCH };

/** Ten new pages a run, from the number of runs on record: a killed run is repeated under another name. */
export async function runOnce(ledger: Ledger): Promise<void> {
  const open = await ledger.db.get(sql<{ name: RunId }>`SELECT name FROM runs WHERE ended_at IS NULL`);
  const row = await ledger.db.get(sql<{ runs: number }>`
    SELECT count(*) AS runs FROM runs WHERE end_state = 'finished'`);
  const run = open?.name ?? (`r${row!.runs}-${process.pid}-${Math.random()}` as RunId);
  const pages = Array.from({ length: 10 * (row!.runs + 1) }, (_, n) => `p/${n}`);
  await crawled(ledger, run, { a: pages });
  await planRun(ledger, run, policies);
  await endRun(ledger, run, 'finished');
}

/** One step of a dispatcher and of the trackers. */
export async function sendAndPoll(ledger: Ledger, client: ApiClient): Promise<void> {
  const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]?.id;
  if (batch !== undefined) {
    const sending = await beginSend(ledger, batch, policies);
    if (sending.kind === 'send') {
      const { key, body, urls, inDoubt, reference, attempt } = sending;
      const answer = await client.submit(body, key);
      const outcome = decideOutcome(answer, { urls, inDoubt, reference });
      await recordAnswer(ledger, batch, { attempt, outcome, status: answer.status, requestId: null });
    }
  }
  for (const { reference } of await listOpenSubmissions(ledger, ACCOUNT.id)) {
    await recordPoll(ledger, ACCOUNT.id, reference, { state: 'completed', terminalStates: ['completed'] });
    await settleJob(ledger, ACCOUNT.id, reference, { retryFailed: { times: 0, afterMs: 0 } });
  }
}

if (process.argv.length > 2 && import.meta.main) {
  const [, , url, baseUrl] = process.argv;
  const ledger = await openLedger(url!);
  const client = createApiClient({ baseUrl: baseUrl!, apiKey: () => 'any-key' });
  process.stdout.write('ready\n');
  for (;;) {
    // A second worker of the same watch meets the first in the middle of a run; it continues with the next step.
    await runOnce(ledger).catch((error: Error) => {
      if (!(error instanceof LedgerError)) throw error;
    });
    for (let n = 0; n < 3; n++) await sendAndPoll(ledger, client);
  }
}
