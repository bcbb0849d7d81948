import { type Command, Option } from 'commander';
import { destination, stdTimeFunctions } from 'pino';
import { SERVICE_LEVELS, type ServiceLevel } from '../../contract/states.ts';
import { parseWholeNumber } from '../../src/cli-kit/arguments.ts';
import { EXIT } from '../../src/cli-kit/exit-codes.ts';
import { type Output, recordVersion } from '../../src/cli-kit/output.ts';
import { namesServer } from '../../src/temporal/settings.ts';
import { type PartialSettings, startService } from '../serve.ts';
import { DEFAULT_SETTINGS } from '../settings.ts';
import { runServe } from './command.ts';
import { findUnknownVariables } from './config/environment.ts';
import { readSettings } from './config/file.ts';
import type { ConfigFile } from './config/schema.ts';
import { toSettings } from './config/to-settings.ts';
import { configOption, DEFAULT_DATABASE, databaseOption } from './database.ts';
import { toListeningRecord, toNoticeRecord } from './records.ts';

interface ServeFlags {
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly config?: string;
  readonly temporal?: string;
  readonly namespace?: string;
  readonly taskQueue?: string;
  readonly defaultService?: ServiceLevel;
  readonly fastMs?: number;
  readonly standardMs?: number;
  readonly logLevel: string;
}

export function serveCommand(command: Command): void {
  command
    .option('--host <host>', 'address to listen on (127.0.0.1)')
    .option('--port <port>', 'port to listen on, 0 for a free one (8080)', parseWholeNumber)
    .addOption(databaseOption())
    .addOption(configOption('settings as YAML (docs/reference/service-configuration.md)'))
    .option('--temporal <address>', 'host:port of the Temporal server (the TEMPORAL_* variables or profile)')
    .option('--namespace <name>', 'Temporal namespace (default)')
    .option('--task-queue <name>', 'Temporal task queue (courier-service)')
    .addOption(
      new Option('--default-service <level>', 'service of a submission that names none').choices(SERVICE_LEVELS),
    )
    .option('--fast-ms <ms>', 'how long the simulated processor takes with fast', parseWholeNumber)
    .option('--standard-ms <ms>', 'how long the simulated processor takes with standard', parseWholeNumber)
    .addOption(new Option('--log-level <level>', 'what is logged on stderr').default('info'))
    .action(runServe(serve));
}

async function serve(output: Output, flags: ServeFlags): Promise<void> {
  const file = readSettings(flags.config, process.env);
  const settings = withFlags(toSettings(file, process.env), flags);
  const address = flags.temporal ?? file.temporal?.address ?? '';
  const namespace = flags.namespace ?? file.temporal?.namespace;
  const taskQueue = flags.taskQueue ?? file.temporal?.task_queue;
  const stopped = stopSignal();
  const service = await startService({
    database: flags.database ?? file.database ?? DEFAULT_DATABASE,
    host: flags.host ?? file.host ?? '127.0.0.1',
    port: flags.port ?? file.port ?? 8080,
    settings,
    logger: {
      level: flags.logLevel,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      stream: destination({ dest: 2, sync: false }),
    },
    ...(namesServer({ address })
      ? {
          temporal: {
            address,
            ...(namespace === undefined ? {} : { namespace }),
            ...(taskQueue === undefined ? {} : { taskQueue }),
          },
        }
      : {}),
  });
  output.record(toListeningRecord({ baseUrl: service.baseUrl }));
  recordVersion(output, 'courier-service');
  output.print(`courier-service listens at ${service.baseUrl} (dashboard: ${new URL('/', service.baseUrl).href})`);
  for (const notice of [...service.notices, ...describeUnknown(file)]) {
    output.record(toNoticeRecord({ notice }));
    output.warn(notice);
  }
  await stopped;
  output.say('courier-service stops: requests that have arrived are answered first.');
  await service.close();
  output.say('courier-service has stopped.');
  // An idle timer of a library must not keep the process alive: every request was answered and every write is done.
  setImmediate(() => process.exit());
}

function describeUnknown(file: ConfigFile): string[] {
  const secret = file.index_check?.brave?.token.env;
  const unknown = findUnknownVariables(process.env, secret === undefined ? [] : [secret]);
  return unknown.map((name) => `${name} is not a setting: see docs/reference/service-configuration.md`);
}

/** Resolves at the first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = (code: number) => () => {
      if (asked) process.exit(code);
      asked = true;
      resolve();
    };
    process.on('SIGINT', stop(EXIT.interrupted));
    process.on('SIGTERM', stop(EXIT.terminated));
    // A closed terminal ends the service as gracefully as any other stop.
    process.on('SIGHUP', stop(EXIT.terminated));
  });
}

function withFlags(settings: PartialSettings, { defaultService, fastMs, standardMs }: ServeFlags): PartialSettings {
  const speeds = settings.processing?.simulated ?? DEFAULT_SETTINGS.processing.simulated;
  const simulated = { fastMs: fastMs ?? speeds.fastMs, standardMs: standardMs ?? speeds.standardMs };
  return {
    ...settings,
    ...(defaultService === undefined ? {} : { defaultService }),
    processing: { ...settings.processing, simulated },
  };
}
