import type { Config } from '../../config/config.ts';
import { SecretMissingError } from '../../config/secrets.ts';
import type { LedgerId } from '../../submission/ids.ts';
import { formatDay } from '../../submission/instant.ts';
import { TemporalAccessError } from '../../temporal/access-error.ts';
import { type Connected, type TemporalSettings, toTls } from '../../temporal/connect.ts';
import { PayloadKeyError } from '../../temporal/encryption.ts';
import { findGrpcStatus, isPassing } from '../../temporal/grpc-status.ts';
import { findMissingSearchAttributes, formatAdminCommand } from '../../temporal/missing-search-attributes.ts';
import { type BinarySource, findBinarySource } from '../../temporal/server-binary.ts';
import { resolveTemporal } from '../../temporal/settings.ts';
import { checkTls } from '../../temporal/tls-files.ts';
import { TemporalUnreachableError } from '../../temporal/unreachable.ts';
import { watchScheduleId } from '../../temporal-api/ids.ts';
import { findServer, withTemporal } from '../temporal-server.ts';
import { checkWorkers } from './check-workers.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const SERVER = { check: 'temporal', subject: null } as const;

/** The Temporal server, what it has of this ledger, and who works there. Starts none. */
export async function checkTemporal(config: Config, file: string, ledger: LedgerId): Promise<Finding[]> {
  try {
    findServer(config, file);
  } catch (error) {
    if (!(error instanceof TemporalUnreachableError)) throw error;
    return [describeOwnServer(findBinarySource())];
  }
  try {
    return [
      ...(await withTemporal(config, file, (temporal) =>
        temporal.client.withDeadline(Date.now() + DEADLINE_MS, () => checkServer(temporal, config, ledger)),
      )),
      ...checkCertificate(findServer(config, file), Date.now()),
    ];
  } catch (error) {
    if (error instanceof TemporalAccessError) return [fail(SERVER, error.problem, error.next)];
    if (error instanceof SecretMissingError || error instanceof PayloadKeyError)
      return [fail(SERVER, error.message, 'then run "courier doctor" again')];
    const refused = findGrpcStatus(error);
    if (refused !== null && isPassing(refused))
      return [
        fail(SERVER, `the server refuses requests, or answers too late (${refused.details})`, REFUSING, {
          transient: true,
        }),
      ];
    if (!(error instanceof TemporalUnreachableError)) throw error;
    return [fail(SERVER, error.message, 'start the server, or correct temporal.address', { transient: true })];
  }
}

/** The SDK would ask a server that refuses again for minutes. */
const DEADLINE_MS = 15_000;
const REFUSING =
  'look at the server: its disk or database, and its limits of requests. Nothing is lost; what it refused is asked again';

/** No server is configured: a command starts one for itself, if it finds one. A run without news needs none. */
export function describeOwnServer(source: BinarySource): Finding {
  const message = 'no server is configured, and none runs for this configuration';
  const next = 'with cron: nothing, "run --once" brings its own. For schedules: start "courier worker"';
  switch (source.kind) {
    case 'installed':
      return warn(SERVER, message, next);
    case 'fetched':
      return warn(SERVER, `${message}; the first run that buys fetches one to ${source.folder} (about 30 MB)`, next);
    case 'none':
      return fail(
        SERVER,
        `${message}; a run that buys cannot start one: ${source.why}`,
        'install the Temporal CLI, or set XDG_CACHE_HOME to a folder that can be written, or configure temporal.address',
      );
    default:
      return source satisfies never;
  }
}

const DAY = 86_400_000;

/** Nobody notices a certificate that ends before all workers stop at once. */
function checkCertificate(settings: TemporalSettings, now: number): Finding[] {
  const { options } = resolveTemporal(settings);
  const tls = toTls(options);
  const ends = tls === null ? null : checkTls(tls, now);
  if (ends === null) return [];
  const message = `the client certificate is valid until ${formatDay(ends)}`;
  if (ends - now > 14 * DAY) return [ok(SERVER, message)];
  return [warn(SERVER, message, 'renew it and replace both files; a worker takes the new ones up by itself')];
}

async function checkServer(temporal: Connected, config: Config, ledger: LedgerId): Promise<Finding[]> {
  const { client, namespace } = temporal;
  const { serverVersion } = await client.workflowService.getSystemInfo({});
  try {
    await client.workflowService.describeNamespace({ namespace });
  } catch (error) {
    const status = findGrpcStatus(error);
    if (status !== null && isPassing(status)) throw error;
    const { details = (error as Error).message } = error as { readonly details?: string };
    return [
      fail(SERVER, `namespace ${namespace} cannot be used (${details})`, `create it, or correct temporal.namespace`),
    ];
  }
  return [
    ok(SERVER, `version ${serverVersion || 'unknown'} responds, namespace ${namespace}`),
    ...(await checkSearchAttributes(temporal)),
    ...(await checkSchedules(temporal, config, ledger)),
    ...(await checkWorkers(temporal, ledger)),
  ];
}

async function checkSearchAttributes({ connection, namespace }: Connected): Promise<Finding[]> {
  const missing = await findMissingSearchAttributes(connection, namespace);
  if (missing.length === 0) return [];
  const names = missing.map(({ name }) => name).join(', ');
  const command = formatAdminCommand(namespace, missing);
  return [
    warn(
      SERVER,
      `the namespace lacks the search attributes ${names}`,
      `nothing, if no worker has started yet: it registers them. Only filters in the Web UI need them. A worker that may ` +
        `not register them says so; then let an administrator run: ${command}`,
    ),
  ];
}

async function checkSchedules({ client }: Connected, config: Config, ledger: LedgerId): Promise<Finding[]> {
  const about = { check: 'schedules', subject: null } as const;
  const states = new Map<string, boolean>();
  for await (const { scheduleId, state } of client.schedule.list()) states.set(scheduleId, state.paused);
  const wanted = [...config.watches.values()].filter(({ schedule, paused }) => schedule !== null && !paused);
  const findings: Finding[] = [];
  for (const { id } of wanted) {
    const paused = states.get(watchScheduleId(ledger, id));
    if (paused === undefined)
      findings.push(
        fail(
          { check: 'schedules', subject: id },
          'the server has no schedule of it',
          'start "courier worker", which creates it',
        ),
      );
    else if (paused)
      findings.push(warn({ check: 'schedules', subject: id }, 'its schedule is paused', `courier watch resume ${id}`));
  }
  return findings.length > 0 ? findings : [ok(about, `${wanted.length} of ${wanted.length} present and not paused`)];
}
