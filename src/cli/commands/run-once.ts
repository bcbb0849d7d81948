import { setTimeout as sleep } from 'node:timers/promises';
import { type Micros, sumMicros, ZERO } from '../../../contract/money.ts';
import type { ApiError } from '../../api-client/errors.ts';
import { EXIT, pickWorst } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import type { Watch } from '../../config/config.ts';
import { askUnread } from '../../connector/ask-unread.ts';
import { confirmKeys } from '../../connector/confirm-keys.ts';
import { withRunLock } from '../../connector/run-lock.ts';
import { newRunName } from '../../connector/run-name.ts';
import { runWithoutTemporal } from '../../connector/run-without-temporal.ts';
import { hasServer } from '../../connector/state-folder.ts';
import { waitForDatabase } from '../../connector/wait-at-start.ts';
import { findOpenWork } from '../../ledger/plans/find-open-work.ts';
import { endRun } from '../../ledger/runs/runs.ts';
import type { AccountId, RunId, WatchId } from '../../submission/ids.ts';
import { watchWorkflowId } from '../../temporal-api/ids.ts';
import type { Ending } from '../output/command.ts';
import { type EndedRun, type RunsShown, showRuns, toEndedRun } from '../output/ended-runs.ts';
import { formatCount } from '../output/format.ts';
import { openStages } from '../output/progress.ts';
import { requireKeys } from '../requirements.ts';
import { WHEN_STOPPED } from '../time-limit.ts';
import type { CommandContext } from '../with-ledger.ts';
import type { RunsToFollow } from './follow-runs.ts';

/** Watches that are crawled at the same time. */
const AT_ONCE = 4;

/**
 * Runs watches in this process, and starts Temporal only for those that have work to continue: most runs find
 * nothing new, and the server, the SDK and its worker cost many times what a crawl does.
 */
export function runOnce(
  output: Output,
  context: CommandContext,
  runs: RunsToFollow,
  limits: readonly AbortSignal[],
): Promise<Ending> {
  const { config, ledger } = context;
  const { watches } = runs;
  requireKeys(config);
  const ends = [stopSignal(WHEN_STOPPED), ...limits];
  return withRunLock(ledger, watches, async () => {
    const signal = AbortSignal.any([...ends]);
    const accounts = watches.map(({ account }) => account);
    const rejected = await confirmKeys(config, ledger, accounts, signal);
    // What is asked for is open work, which needs Temporal.
    await askUnread(context);
    const local = await runLocally(output, context, runs, signal);
    const shown = [showRuns(output, local.ended)];
    const rest = watches.filter(({ id }) => !local.done.has(id));
    if (rest.length > 0) {
      // Loaded here: the SDK alone takes a second and 100 MB.
      const { runAtTemporal } = await import('./run-at-temporal.ts');
      const { begun } = local;
      try {
        shown.push(await runAtTemporal(output, context, { ...runs, watches: rest, begun }, ends));
      } finally {
        await abandon(context, begun);
      }
    }
    return toEnding(output, runs, shown, rejected);
  });
}

interface LocalRuns {
  readonly ended: PromiseSettledResult<readonly EndedRun[]>[];
  /** Those that need no more, also because they failed. */
  readonly done: ReadonlySet<WatchId>;
  /** Names of runs that are open in the ledger and have no workflow yet. */
  readonly begun: Map<WatchId, string>;
}

/** Runs each watch as far as it goes without Temporal. Does nothing where its server runs: then that is the cheap way. */
async function runLocally(
  output: Output,
  context: CommandContext,
  { watches, maxCost }: RunsToFollow,
  signal: AbortSignal,
): Promise<LocalRuns> {
  const { config, file, ledger } = context;
  const done = new Set<WatchId>();
  const begun = new Map<WatchId, string>();
  const nothing: LocalRuns = { ended: [], done, begun };
  if (hasServer(config, file)) return nothing;
  const work = await findOpenWork(ledger.db, { watches, now: ledger.now() });
  if (work !== null) {
    if (output.verbose) output.say(`Temporal is needed: the ledger has ${work} to carry on.`);
    return nothing;
  }
  const stages = openStages(output, watches.length);

  const waiting = {
    log: { info: output.say, warn: output.warn },
    now: Date.now,
    sleep: (ms: number) => sleep(ms, undefined, { signal }),
  };
  const wait = <T>(step: () => Promise<T>): Promise<T> => waitForDatabase(step, waiting);

  async function runOne(watch: Watch): Promise<readonly EndedRun[]> {
    const name = newRunName(Date.now(), Math.random());
    const onProgress = (urls: number) => stages.at('crawl', watch.id, urls, null);
    const local = await runWithoutTemporal({ config, ledger }, watch, { name, maxCost, signal, onProgress, wait });
    if (local.kind === 'open') {
      if (local.begun) begun.set(watch.id, name);
      return [];
    }
    const { found, new: fresh } = local.result.counts;
    stages.at('crawl', watch.id, found, found, `${formatCount(fresh)} new`);
    done.add(watch.id);
    return [await toEndedRun({ config, ledger }, watch, local.run, local.result)];
  }

  const ended: PromiseSettledResult<readonly EndedRun[]>[] = [];
  const left = watches.entries();
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (const [at, watch] of left) {
      const [result] = await Promise.allSettled([runOne(watch)]);
      if (result.status === 'rejected') done.add(watch.id);
      ended[at] = result;
    }
  });
  await Promise.all(workers);
  stages.end();
  if (signal.aborted) await abandon(context, begun);
  signal.throwIfAborted();
  return { ended, done, begun };
}

/** What a command began and no workflow continues is not left open: `plan` and the next run would find it active. */
async function abandon({ ledger }: CommandContext, begun: ReadonlyMap<WatchId, string>): Promise<void> {
  for (const [watch, name] of begun) {
    await endRun(ledger, watchWorkflowId(ledger.id, watch, name) as RunId, 'abandoned');
  }
}

function toEnding(
  output: Output,
  { watches }: RunsToFollow,
  shown: readonly RunsShown[],
  rejected: ReadonlyMap<AccountId, ApiError>,
): Ending {
  const codes = shown.map(({ exitCode }) => exitCode);
  // A run that had something to send has said so itself.
  if (rejected.size > 0 && !codes.includes(EXIT.keyRefused)) {
    for (const [account, { message }] of rejected) output.warn(formatRejectedKey(account, message));
    codes.push(EXIT.keyRefused);
  }
  const charged = shown.reduce<Micros>((sum, each) => sumMicros(sum, each.charged), ZERO);
  const summary = { watches: watches.length, charged_micros: charged, rejected_keys: [...rejected.keys()] };
  return { exitCode: pickWorst(codes), summary };
}

const formatRejectedKey = (account: AccountId, why: string): string =>
  `The service rejects the API key of account ${account}: ${why.replace(/\.$/, '')}. Nothing had to be submitted. Replace the key ` +
  'before the next run; what it finds is sent then.';
