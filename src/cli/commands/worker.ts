import { Command } from 'commander';
import { EXIT, type ExitCode } from '../../cli-kit/exit-codes.ts';
import { loadConfig } from '../../config/load.ts';
import { openConnector } from '../../connector/connector.ts';
import { reconcileSchedules } from '../../connector/schedules.ts';
import { openTemporal } from '../../connector/temporal-server.ts';
import { createLogger } from '../../observability/log.ts';
import { action } from '../output/command.ts';
import { requireKeys } from '../require-keys.ts';

/** The daemon: works for all watches until it is told to end. */
export function workerCommand(): Command {
  return new Command('worker')
    .description('work for the configured watches until SIGTERM; keeps their schedules as configured')
    .action(
      action(async (output, { config: file = 'courier.yaml' }) => {
        const config = loadConfig(file);
        requireKeys(config);
        const log = createLogger(output.verbose ? 'debug' : output.quiet ? 'error' : 'info', 'courier');
        const here = await openTemporal(config, file, output.say);
        const connector = await openConnector(config, here.settings, log);
        const ending = onSignals(() => connector.stop());
        for (const { id, change } of await reconcileSchedules(connector.deps.client, config, connector.deps.ledger.id))
          log.info({ schedule: id }, change);
        output.record({ type: 'ready', watches: config.watches.size });
        output.say(`Working for ${config.watches.size} watches. Ctrl-C ends it after what is under way.`);
        await connector.run();
        await here.server?.stop();
        return { exitCode: ending() };
      }),
    );
}

/** Calls `stop` on the first signal or when the parent is gone; the returned function tells the exit code for it. */
export function onSignals(stop: () => void): () => ExitCode {
  let code: ExitCode = EXIT.done;
  const end = (as: ExitCode) => () => {
    if (code !== EXIT.done) process.exit(as);
    code = as;
    stop();
  };
  process.on('SIGINT', end(EXIT.interrupted));
  process.on('SIGTERM', end(EXIT.terminated));
  process.on('disconnect', end(EXIT.terminated));
  return () => code;
}
