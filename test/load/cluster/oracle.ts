import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { parseTry } from '../../../contract/money.ts';
import { openAdministration } from '../../../service/serve.ts';
import type { Database } from '../../../src/database/database.ts';
import { sql } from '../../../src/database/sql.ts';
import { describeOpenWorkflows } from '../../chaos/wait-until-idle.ts';
import { PRICE_TRY } from './configuration.ts';
import { findWrongPurchases } from './purchases.ts';
import { shorten } from './shorten.ts';
import type { Stack } from './stack.ts';

const PRICE = Number(parseTry(PRICE_TRY));
/** A dispatcher sees that nothing is left, a tracker ends, the service's own workflow ends. */
const CLOSING_MS = 60_000;

/** What was promised and does not hold; empty when all does. Everything must have ended before. */
export async function judge(stack: Stack): Promise<string[]> {
  return [
    ...(await findWrongPurchases(stack.service, stack.pages)),
    ...(await findWrongCharges(stack)),
    ...(await findWrongRows(stack.ledger.db, stack.pages)),
    ...(await findOpenWorkflows(stack.client)),
    ...(await findFailedWorkflows(stack.client)),
    ...(await findFailedWorkflows(stack.serviceClient)),
  ];
}

/** The service's charges, the ledger's and the price of the listed pages agree for every account. */
async function findWrongCharges({ service, serviceUrl, ledger, config, pages }: Stack): Promise<string[]> {
  const theirs = await service.all(sql<{ account: string; charged: number }>`
    SELECT a.name AS account, coalesce(sum(-e.amount), 0) AS charged
    FROM accounts AS a LEFT JOIN entries AS e ON e.account_id = a.id AND e.kind <> 'top_up' GROUP BY a.name`);
  const ours = await ledger.db.all(sql<{ account: string; charged: number }>`
    SELECT account_id AS account, sum(amount) AS charged FROM journal_totals WHERE day > 0 GROUP BY account_id`);
  const recorded = new Map(ours.map(({ account, charged }) => [account, charged]));
  const listed = new Map<string, number>();
  for (const { id, account } of config.watches.values())
    listed.set(account, (listed.get(account) ?? 0) + PRICE * (pages.get(id) ?? 0));
  const wrong: string[] = [];
  for (const { account, charged } of theirs) {
    if (charged !== (listed.get(account) ?? 0))
      wrong.push(`${account}: the service charged ${charged}, its pages cost ${listed.get(account)}`);
    if (charged !== (recorded.get(account) ?? 0))
      wrong.push(`${account}: the service charged ${charged}, the ledger has ${recorded.get(account) ?? 0}`);
  }
  const { operations, close } = await openAdministration(serviceUrl);
  try {
    for (const difference of await operations.audit()) wrong.push(`the service's audit: ${JSON.stringify(difference)}`);
  } finally {
    await close();
  }
  return wrong;
}

async function findWrongRows(ledger: Database, pages: ReadonlyMap<string, number>): Promise<string[]> {
  const states = await ledger.all(
    sql<{ state: string; n: number }>`SELECT state, count(*) AS n FROM urls GROUP BY state`,
  );
  const listed = [...pages.values()].reduce((sum, count) => sum + count, 0);
  const completed = states.find(({ state }) => state === 'completed')?.n ?? 0;
  const wrong: string[] = [];
  if (completed !== listed)
    wrong.push(
      `${listed} pages are listed, the ledger has ${states.map(({ state, n }) => `${n} ${state}`).join(', ')}`,
    );
  const batches = await ledger.all(sql<{ id: number; state: string; reason: string | null }>`
    SELECT id, state, reason_code AS reason FROM batches WHERE state <> 'accepted' OR settled_at IS NULL`);
  for (const { id, state, reason } of batches) wrong.push(`batch ${id} is left ${state}: ${reason}`);
  return shorten(wrong);
}

/** Dispatchers end when nothing is planned: whatever runs a minute later is stuck. */
async function findOpenWorkflows(client: Client): Promise<string[]> {
  for (const end = Date.now() + CLOSING_MS; ; await sleep(1_000)) {
    const { count } = await client.workflow.count(`ExecutionStatus = 'Running'`);
    if (count === 0) return [];
    if (Date.now() > end) return shorten((await describeOpenWorkflows(client)).map((line) => `still runs: ${line}`));
  }
}

async function findFailedWorkflows(client: Client): Promise<string[]> {
  const failed: string[] = [];
  const query = `ExecutionStatus IN ('Failed', 'TimedOut', 'Canceled', 'Terminated')`;
  for await (const { workflowId, runId, status } of client.workflow.list({ query })) {
    // A reset terminates a run and starts another one.
    if (status.name === 'TERMINATED' && (await client.workflow.getHandle(workflowId).describe()).runId !== runId)
      continue;
    const why = await client.workflow
      .getHandle(workflowId, runId, { firstExecutionRunId: runId })
      .result()
      .then(
        () => '',
        (error: Error) => deepest(error).message,
      );
    failed.push(`${workflowId} ended ${status.name}: ${why}`);
  }
  return shorten(failed);
}

const deepest = (error: Error): Error => (error.cause instanceof Error ? deepest(error.cause) : error);
