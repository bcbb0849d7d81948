import { Command } from 'commander';
import { formatTry } from '../../../contract/money.ts';
import { CommandError, EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import { followCheck, newRunName, startCheck } from '../../connector/run-client.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import { needWorker } from '../need-worker.ts';
import { action } from '../output/command.ts';
import { selectWatches, withLedger } from '../with-ledger.ts';

export function checkCommand(): Command {
  return new Command('check')
    .description('check now in the index what is due for it; each URL checked is charged')
    .argument('[watch...]', 'default: all that have index_check')
    .action(
      action((output, flags, names: string[]) =>
        withLedger(flags, ({ config, file, ledger }) => {
          const chosen = selectWatches(config, names);
          const watches = chosen.filter(({ indexCheck }) => indexCheck !== null);
          const without = chosen.filter(({ indexCheck }) => indexCheck === null);
          if (names.length > 0 && without.length > 0) {
            throw new CommandError(
              EXIT.usage,
              `${without.map(({ id }) => id).join(', ')}: no index_check is configured. Nothing was checked or charged. ` +
                'Add it to the watch, or name others.',
            );
          }
          return withTemporal(config, file, async (temporal) => {
            await needWorker(temporal, ledger.id);
            const codes = await Promise.all(
              watches.map(async (watch): Promise<ExitCode> => {
                const handle = await startCheck(
                  temporal.client,
                  ledger.id,
                  watch,
                  newRunName(Date.now(), Math.random()),
                );
                const result = await followCheck(handle);
                output.record({ type: 'check', watch: watch.id, ...result });
                output.print(
                  `${watch.id}: ${result.checked} checked, ${result.found} found, ${formatTry(result.charged)}` +
                    `${result.stopped === null ? '' : `; ended early: ${result.stopped}`}`,
                );
                return result.stopped === null ? EXIT.done : EXIT.balanceOrCap;
              }),
            );
            return { exitCode: pickWorst(codes), summary: { watches: watches.length } };
          });
        }),
      ),
    );
}
