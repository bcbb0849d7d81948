import { observeCrawl } from '../../../activities/observe-crawl.ts';
import { runStart } from '../../../activities/run-start.ts';
import { ApiError } from '../../../src/api-client/errors.ts';
import { type Account, requireAccount } from '../../../src/config/config.ts';
import { SecretMissingError } from '../../../src/config/secrets.ts';
import { confirmShown } from '../../../src/connector/confirm-account.ts';
import { diffRun } from '../../../src/ledger/crawl/diff-run.ts';
import { recordBalance } from '../../../src/ledger/money/balance.ts';
import type { Ledger } from '../../../src/ledger/open-ledger.ts';
import { applyPlans, type PlanToApply } from '../../../src/ledger/plans/apply-plans.ts';
import { judgeRun } from '../../../src/ledger/plans/judge-run.ts';
import { previewRuns } from '../../../src/ledger/plans/preview-runs.ts';
import { listPlannedUrls } from '../../../src/ledger/reports/planned-urls.ts';
import { beginRun, endRun } from '../../../src/ledger/runs/runs.ts';
import type { RunId, WatchId } from '../../../src/submission/ids.ts';
import { watchWorkflowId } from '../../../src/temporal-api/ids.ts';
import { wakeDispatcher } from '../../../src/temporal-api/wake-dispatcher.ts';
import { createClient } from '../temporal/client.ts';
import { openRequests } from './operator.ts';
import type { World } from './world.ts';

/** What `courier plan -o` keeps of a watch, and what it shows. */
export interface FiledPlan {
  readonly watch: WatchId;
  readonly run: RunId;
  readonly digest: string;
  readonly urls: readonly string[];
  /** In micro-lira; null: no price is known. */
  readonly cost: number | null;
  readonly isHeld: boolean;
}

/** `courier plan WATCH -o FILE`: what it finds and what it would cost, without buying anything. Null: another run of it is active. */
export async function filePlan(world: World, name: string): Promise<FiledPlan | null> {
  const ledger = await world.openOperatorLedger();
  const config = world.readConfig();
  const watch = config.watches.get(name as WatchId);
  if (watch === undefined) return null;
  world.runs += 1;
  const run = watchWorkflowId(ledger.id, watch.id, `plan-${world.runs}`) as RunId;
  const input = { watch, account: requireAccount(config, watch.account) };
  if ((await beginRun(ledger, runStart(watch, run))).kind === 'active') return null;
  let end: 'previewed' | 'abandoned' = 'abandoned';
  try {
    const { complete } = await observeCrawl(ledger, watch, run, new AbortController().signal).report;
    await diffRun(ledger, run, { complete, configured: [...config.watches.keys()] });
    const held = await judgeRun(ledger, run, watch.guard, { input });
    end = 'previewed';
    const urls: string[] = [];
    const [plan] = await previewRuns(ledger, [{ run, input }], {
      inspect: async (tx, row) => {
        for (const { url, heldReason } of await listPlannedUrls(tx, row)) if (heldReason === null) urls.push(url);
      },
    });
    return { watch: watch.id, run, digest: plan!.digest, urls, cost: plan!.cost, isHeld: held !== null };
  } finally {
    await endRun(ledger, run, end);
  }
}

/** What the command reads before it decides: the prices and the balance of now. */
async function refresh(world: World, ledger: Ledger, account: Account): Promise<void> {
  const send = await openRequests(world, account);
  await confirmShown(ledger, account, send);
  const { balance } = await send((client) => client.balance()).catch((error: unknown) => {
    if (error instanceof ApiError || error instanceof SecretMissingError) return { balance: null };
    throw error;
  });
  if (balance !== null) await recordBalance(ledger, account.id, balance);
}

/**
 * `courier apply FILE`, under the configuration, the prices and the balance of now. Throws a LedgerError where the plan no longer
 * holds, and an OperationError where the key or the address is another account's; the plan of a watch
 * that is not configured is not applied: false.
 */
export async function applyPlan(
  world: World,
  { watch: name, run, digest }: FiledPlan,
  { approvedBy }: { readonly approvedBy: string | null },
): Promise<boolean> {
  const ledger: Ledger = await world.openOperatorLedger();
  const config = world.readConfig();
  const watch = config.watches.get(name);
  if (watch === undefined) return false;
  const account = requireAccount(config, watch.account);
  await refresh(world, ledger, account);
  const plan: PlanToApply = { run, digest, input: { watch, account } };
  await applyPlans(ledger, [plan], { approvedBy });
  // A server that is away is reached by the next run.
  await wakeDispatcher(createClient(world.temporal, world.operator), ledger.id, watch.account).catch(() => undefined);
  return true;
}
