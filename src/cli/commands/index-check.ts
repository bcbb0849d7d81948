import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { formatTry } from '../../../contract/money.ts';
import { CommandError, EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import type { Config, Watch } from '../../config/config.ts';
import { followCheck, startCheck } from '../../connector/run-client.ts';
import { newRunName } from '../../connector/run-name.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import type { LedgerId } from '../../submission/ids.ts';
import type { CheckResult } from '../../temporal-api/workflows.ts';
import { action, type Ending } from '../output/command.ts';
import { formatCount } from '../output/format.ts';
import { toIndexCheckRecord } from '../output/records/run.ts';
import { requireWorker } from '../requirements.ts';
import { selectWatches, withLedger } from '../with-ledger.ts';
import { workHere } from '../work-here.ts';

export function indexCheckCommand(command: Command): void {
  command
    .argument('[watch...]', 'watches to check (default: all that have index_check)')
    .option('--once', 'work in this process and end with it; without it, a "courier worker" does the work')
    .action(
      action((output, flags, names: string[], { once = false }: { once?: boolean }) =>
        withLedger(flags, (context) => {
          const { config, file, ledger } = context;
          const watches = selectChecked(config, names);
          const check = (client: Client) => checkAll(output, client, ledger.id, watches);
          if (once) return workHere(output, context, watches, check);
          return withTemporal(config, file, async (temporal) => {
            await requireWorker(temporal, ledger.id);
            return check(temporal.client);
          });
        }),
      ),
    );
}

async function checkAll(output: Output, client: Client, ledger: LedgerId, watches: readonly Watch[]): Promise<Ending> {
  const codes = await Promise.all(
    watches.map(async (watch): Promise<ExitCode> => {
      const name = newRunName(Date.now(), Math.random());
      const result = await followCheck(await startCheck(client, ledger, watch, name));
      output.record(toIndexCheckRecord(watch.id, result));
      output.print(formatCheck(watch, result));
      return result.stopped === null ? EXIT.done : EXIT.balanceOrCap;
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
  throw new CommandError(
    EXIT.usage,
    `${names.length === 0 ? 'No watch has' : `Not in the configuration of ${without.map(({ id }) => id).join(', ')}:`} ` +
      'index_check. Nothing was checked or charged. Add index_check to the watch, such as { after: 3d, every: 7d }.',
  );
}
