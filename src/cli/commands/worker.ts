import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { type Command, Option } from 'commander';
import { EXIT, type ExitCode, UsageError } from '../../cli-kit/exit-codes.ts';
import { loadConfig } from '../../config/load.ts';
import { openConnector } from '../../connector/connector.ts';
import { reconcileSchedules } from '../../connector/schedules.ts';
import { openTemporal } from '../../connector/temporal-server.ts';
import { waitWhileWorking } from '../../connector/wait-at-start.ts';
import { toTroubleLink } from '../../connector/web-ui-link.ts';
import { startWorkerHousekeeping } from '../../connector/worker-housekeeping.ts';
import { createLogger } from '../../observability/log.ts';
import { isDenied } from '../../temporal/access-error.ts';
import { findCurrentBuild } from '../../temporal/deployment.ts';
import type { DeploymentVersion } from '../../temporal/version-status.ts';
import { DUTIES, type Duty } from '../../temporal-api/duties.ts';
import { action } from '../output/command.ts';
import { formatCounted } from '../output/format.ts';
import { toReadyRecord } from '../output/records/run.ts';
import { requireKeys } from '../requirements.ts';

interface WorkerFlags {
  readonly deployment?: string;
  readonly build?: string;
  readonly duty: readonly ('all' | Duty)[];
}

/** The daemon: works for all watches until a signal ends it. */
export function workerCommand(command: Command): void {
  const option = new Option('--duty <duty...>', 'what this worker does; give every duty to some worker')
    .choices(['all', ...DUTIES])
    .default(['all']);
  command
    .addOption(option)
    .option('--deployment <name>', 'the Worker Deployment that this worker belongs to; needs --build')
    .option('--build <id>', 'the build that this worker is, such as a version or a commit')
    .action(
      action(async (output, { config: file }, { duty: given, deployment, build }: WorkerFlags) => {
        const config = loadConfig(file);
        const duties = given.includes('all') ? DUTIES : DUTIES.filter((one) => given.includes(one));
        const version = toVersion(deployment, build);
        requireKeys(config);
        const log = createLogger(output.verbose ? 'debug' : output.quiet ? 'error' : 'info', 'courier');
        const here = await openTemporal(config, file, output.say);
        const uiUrl = here.server?.uiUrl ?? null;
        if (uiUrl !== null) output.say(`What waits or fails there: ${toTroubleLink(uiUrl, config.temporal.namespace)}`);
        const connector = await openConnector(config, here.settings, log, {
          serveAdmin: true,
          waits: true,
          duties,
          version,
          uiUrl,
        });
        const getExitCode = stopOnSignal(() => connector.stop());
        here.server?.lost.addEventListener('abort', () => connector.stop());
        const working = connector.run();
        const beginning = begin();
        try {
          await Promise.race([beginning, working]);
          await working;
        } finally {
          // After a failure the worker would keep the process alive.
          connector.stop();
          await Promise.allSettled([beginning]);
          await working;
          await here.server?.stop();
        }

        /** What is done when the worker works already. Ends soon after `stop`, with an error that nobody needs. */
        async function begin(): Promise<void> {
          const { client, ledger, stopping } = connector.deps;
          const waiting = { log, now: Date.now, sleep: (ms: number) => sleep(ms, undefined, { signal: stopping }) };
          /** A request fails because the worker stops: then there is nothing to wait for. */
          const untilStop = <T>(asking: Promise<T>): Promise<T> =>
            asking.catch((error: unknown) => {
              stopping.throwIfAborted();
              throw error;
            });
          const put = () => untilStop(reconcileSchedules(client, config, ledger.id, stopping));
          for (const { id, change } of await waitWhileWorking(put, waiting))
            log.info({ schedule: id }, `schedule ${id}: ${change}`);
          const about =
            version === undefined
              ? null
              : await waitWhileWorking(() => untilStop(describeVersion(client, version)), waiting);
          stopping.throwIfAborted();
          connector.keep(startWorkerHousekeeping({ connector, path: file, config, log, version }));
          output.record(toReadyRecord({ watches: config.watches.size }));
          output.say(
            `Working for ${formatCounted(config.watches.size, 'watch', 'watches')}${formatDuties(duties)}. Ctrl-C stops it once what is under way is finished.`,
          );
          if (connector.adminUrl !== undefined)
            output.say(`Metrics and health: ${connector.adminUrl}/metrics, /healthz, /readyz`);
          if (about !== null) output.say(about);
        }
        // Exit code 5: a service manager restarts the worker, which starts a server.
        here.server?.lost.throwIfAborted();
        return { exitCode: getExitCode() };
      }),
    );
}

function toVersion(deployment?: string, build?: string): DeploymentVersion | undefined {
  if (deployment === undefined && build === undefined) return undefined;
  if (deployment !== undefined && build !== undefined) return { deployment, build };
  throw new UsageError('Give --deployment and --build together. Nothing was started.');
}

/** A worker that is not current gets no new workflows. Null: this connection may not ask. */
async function describeVersion(client: Client, { deployment, build }: DeploymentVersion): Promise<string | null> {
  const current = await findCurrentBuild({ client, namespace: client.options.namespace }, deployment).catch(
    (error: unknown) => {
      if (isDenied(error)) return undefined;
      throw error;
    },
  );
  if (current === undefined) return null;
  const here = `This worker is build ${build} of ${deployment}`;
  if (current === build) return `${here}, which is current.`;
  const now = current === null ? 'no build is current, so nothing runs' : `build ${current} is current`;
  return `${here}; ${now}. To send new workflows to it: courier deployments promote ${deployment} ${build}`;
}

const formatDuties = (duties: readonly Duty[]): string =>
  duties.length === DUTIES.length ? '' : `, on ${duties.join(', ')} only`;

/** Calls `stop` on the first signal; the second ends the process. The returned function returns the exit code. */
function stopOnSignal(stop: () => void): () => ExitCode {
  let code: ExitCode = EXIT.done;
  const end = (as: ExitCode) => () => {
    if (code !== EXIT.done) process.exit(as);
    code = as;
    stop();
  };
  process.on('SIGINT', end(EXIT.interrupted));
  process.on('SIGTERM', end(EXIT.terminated));
  return () => code;
}
