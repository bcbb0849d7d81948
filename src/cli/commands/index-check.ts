import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { formatTry, ZERO } from '../../../contract/money.ts';
import { EXIT, type ExitCode, pickWorst, UsageError } from '../../cli-kit/exit-codes.ts';
import { type Output, report } from '../../cli-kit/output.ts';
import type { Config, Watch } from '../../config/config.ts';
import { followCheck, startCheck } from '../../connector/run-client.ts';
import { newRunName } from '../../connector/run-name.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import { findWatch } from '../../ledger/accounts/watches.ts';
import { findOpenCheck } from '../../ledger/index-checks/check-queue.ts';
import { countDueChecks } from '../../ledger/index-checks/count-due-checks.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { LedgerId } from '../../submission/ids.ts';
import type { CheckResult } from '../../temporal-api/workflows.ts';
import type { Ending } from '../output/command.ts';
import { formatCount } from '../output/format.ts';
import { toIndexCheckRecord } from '../output/records/run.ts';
import { requireWorker } from '../requirements.ts';
import { createTimeLimit, MAX_TIME_OPTION } from '../time-limit.ts';
import { ledgerAction, selectWatches } from '../with-ledger.ts';
import { workHere } from '../work-here.ts';

export function indexCheckCommand(command: Command): void {
  command
    .argument('[watch...]', 'watches to check (default: all that have index_check)')
    .option('--once', 'work in this process and end with it; without it, a "courier worker" does the work')
    .option(...MAX_TIME_OPTION)
    .action(
      ledgerAction(
        async (output, context, names: string[], { once = false, maxTime }: { once?: boolean; maxTime?: string }) => {
          const { config, file, ledger } = context;
          const limits = createTimeLimit(maxTime);
          const watches = selectChecked(config, names);
          const check = (client: Client) => checkAll(output, client, ledger.id, watches);
          if (once) {
            if (await hasChecks(ledger, watches)) return workHere(output, context, watches, check, limits);
            return reportNothingDue(output, watches);
          }
          return withTemporal(config, file, async (temporal) => {
            await requireWorker(temporal, ledger.id);
            return check(temporal.client);
          });
        },
      ),
    );
}

/** Whether a check is due or open. Without one, no Temporal server is started. */
async function hasChecks(ledger: Ledger, watches: readonly Watch[]): Promise<boolean> {
  for (const { id } of watches) {
    const watchId = await findWatch(ledger.db, id);
    if (watchId === null) continue;
    if ((await countDueChecks(ledger.db, watchId, ledger.now())) > 0) return true;
    if ((await findOpenCheck(ledger.db, watchId)) !== undefined) return true;
  }
  return false;
}

function reportNothingDue(output: Output, watches: readonly Watch[]): Ending {
  const nothing: CheckResult = { checked: 0, found: 0, charged: ZERO, stopped: null };
  for (const watch of watches) {
    output.record(toIndexCheckRecord({ watch: watch.id, ...nothing }));
    report(output, EXIT.done, [formatCheck(watch, nothing)]);
  }
  return { summary: { watches: watches.length } };
}

async function checkAll(output: Output, client: Client, ledger: LedgerId, watches: readonly Watch[]): Promise<Ending> {
  const codes = await Promise.all(
    watches.map(async (watch): Promise<ExitCode> => {
      const name = newRunName(Date.now(), Math.random());
      const result = await followCheck(await startCheck(client, ledger, watch, name));
      output.record(toIndexCheckRecord({ watch: watch.id, ...result }));
      const exitCode = result.stopped === null ? EXIT.done : EXIT.balanceOrCap;
      report(output, exitCode, [formatCheck(watch, result)]);
      return exitCode;
    }),
  );
  return { exitCode: pickWorst(codes), summary: { watches: watches.length } };
}

function formatCheck({ id }: Watch, { checked, found, charged, stopped }: CheckResult): string {
  const early = stopped === null ? '' : `; ended early: ${stopped}`;
  return `${id}: ${formatCount(checked)} checked, ${formatCount(found)} found, charged ${formatTry(charged)}${early}`;
}

/** The watches that have index checks. Throws when one is named that has none, or when none has. */
function selectChecked(config: Config, names: readonly string[]): Watch[] {
  const chosen = selectWatches(config, names);
  const without = chosen.filter(({ indexCheck }) => indexCheck === null);
  if (without.length === 0 || (names.length === 0 && without.length < chosen.length))
    return chosen.filter(({ indexCheck }) => indexCheck !== null);
  throw new UsageError(
    `${names.length === 0 ? 'No watch has' : `Not in the configuration of ${without.map(({ id }) => id).join(', ')}:`} ` +
      'index_check. Nothing was checked or charged. Add index_check to the watch, such as { after: 3d, every: 7d }.',
  );
}
