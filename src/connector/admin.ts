import type { Connection } from '@temporalio/client';
import type { Deps } from '../../activities/deps.ts';
import type { Config } from '../config/config.ts';
import { getLateAfterMs } from '../config/late-after.ts';
import type { SecretReference } from '../config/schema.ts';
import { readSecret, SecretMissingError } from '../config/secrets.ts';
import { createSampler, type Sample } from '../metrics/sample.ts';
import { createWorkerMetrics, type WorkerMetrics } from '../metrics/worker-metrics.ts';
import { type AdminAddress, type AdminListener, openAdminListener } from '../observability/admin-listener.ts';
import { VERSION } from '../observability/version.ts';
import type { RateLimitStore } from '../rate-limit/limiter.ts';
import { toRateLimits } from '../rate-limit/limits.ts';
import type { AccountId } from '../submission/ids.ts';
import { freePort } from '../temporal/free-port.ts';
import { OperationError } from './operation-error.ts';
import { createPublicationAnswerer } from './publication/answer-publication.ts';
import { createRunRequester } from './publication/request-run.ts';
import type { AskLedger } from './watch-ledger.ts';

/** A scraper gives up after ten seconds, so no part of a scrape may take longer. */
const TIMEOUT_MS = 3_000;

export interface AdminSubjects {
  readonly deps: Deps;
  readonly rateLimits: RateLimitStore;
  readonly connection: Connection;
  readonly isRunning: () => boolean;
  readonly askLedger: AskLedger;
  /** The page of a run in the Web UI; null where its address is not known. */
  readonly toLink: (run: string) => string | null;
}

export interface PreparedAdmin {
  readonly metrics: WorkerMetrics;
  /** For the SDK, whose own metrics /metrics shows too. */
  readonly runtime: { readonly metricsAddress: string };
  open(subjects: AdminSubjects): Promise<AdminListener>;
}

/** Metrics begin before the worker does; the listener opens when there is something to show. */
export async function prepareAdmin(address: NonNullable<Config['admin']>): Promise<PreparedAdmin> {
  const { runs } = address;
  if (runs !== null) readPublicationSecret(runs.secret);
  const metrics = createWorkerMetrics(VERSION);
  const metricsAddress = `127.0.0.1:${await freePort()}`;
  return {
    metrics,
    runtime: { metricsAddress },
    open: (subjects) => {
      const { log } = subjects.deps;
      const readSample = createSampler(subjects.deps.ledger, getLimiterOf(subjects), () => getSubjects(subjects.deps));
      const readOrNull = (): Promise<Sample | null> =>
        readSample().catch((error: unknown) => {
          log.warn({ error }, 'the figures of the ledger cannot be read for the metrics');
          return null;
        });
      return openAdminListener(address, {
        readReadiness: () => readReadiness(subjects),
        async renderMetrics() {
          const isWritable = await isLedgerWritable(subjects);
          const [own, sdk] = await Promise.all([
            metrics.render(await readOrNull(), isWritable),
            readSdkMetrics(metricsAddress),
          ]);
          return { type: own.type, text: `${own.text}${sdk}` };
        },
        ...(runs === null ? {} : { answerPost: answerPublications(subjects, runs.secret) }),
        onError: (error) => log.error({ error }, 'an answer of the admin listener failed'),
      }).catch((error: unknown) => {
        throw explainListener(address, error) ?? error;
      });
    },
  };
}

function explainListener({ host, port }: AdminAddress, error: unknown): OperationError | null {
  const { code = '' } = error as { readonly code?: string };
  const why = UNUSABLE[code];
  if (why === undefined) return null;
  return new OperationError(
    'listener',
    `The listener of admin cannot open ${host}:${port}: ${why}. Nothing was started, sent or charged. Stop what uses it, or ` +
      'correct admin.host and admin.port.',
    { cause: error },
  );
}

const UNUSABLE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process uses the port',
  EACCES: 'this user may not open the port',
  EADDRNOTAVAIL: 'this machine does not have the address',
};

/** A shorter one could be guessed. */
const SHORTEST_SECRET = 16;

/** Throws a SecretMissingError for one that cannot be read, or that is short. */
function readPublicationSecret(reference: SecretReference): string {
  const secret = readSecret(reference);
  if (secret.length >= SHORTEST_SECRET) return secret;
  throw new SecretMissingError(
    `The secret of admin.runs is shorter than ${SHORTEST_SECRET} characters, and could be guessed. Nothing was started. ` +
      'Make one with "openssl rand -hex 32".',
  );
}

function answerPublications({ deps, toLink }: AdminSubjects, secret: SecretReference) {
  const { client, ledger, log } = deps;
  const requester = createRunRequester(client, ledger.id);
  return createPublicationAnswerer({
    readSecret: () => readPublicationSecret(secret),
    getWatch: (id) => deps.config.watches.get(id),
    async request(watch) {
      const requested = await requester.request(watch);
      log.info({ watch: watch.id, state: requested.kind }, `a run of ${watch.id} was asked for: ${requested.kind}`);
      return requested;
    },
    toLink,
    now: Date.now,
  });
}

const getSubjects = ({ config: { accounts, watches, notify } }: Deps) => ({
  accounts: accounts.values(),
  watches: new Map([...watches.values()].map((watch) => [watch.id, getLateAfterMs(watch, notify.noSuccessAfterMs)])),
});

function getLimiterOf({ deps, rateLimits }: AdminSubjects) {
  return (id: AccountId) => {
    const { limits } = deps.getAccount(id);
    return rateLimits.getLimiter(id, toRateLimits(limits, limits.minuteMs));
  };
}

/** The metrics of the SDK and its core, all named temporal_…; empty while its exporter does not respond. */
async function readSdkMetrics(address: string): Promise<string> {
  try {
    const response = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok ? await response.text() : '';
  } catch {
    return '';
  }
}

/** A database that does not answer in time is not writable. */
async function isLedgerWritable({ askLedger }: AdminSubjects): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(resolve, TIMEOUT_MS, false).unref());
  return Promise.race([askLedger().then((failure) => failure === null), late]);
}

/** Whether work can be done now: the worker polls, the Temporal server responds and the ledger can be written. */
async function readReadiness({
  askLedger,
  connection,
  isRunning,
}: AdminSubjects): Promise<{ status: number; body: object }> {
  const problems: string[] = [];
  if (!isRunning()) problems.push('the worker does not run');
  const check = async (work: Promise<unknown>, problem: string): Promise<void> => {
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const timeout = new Promise((_, reject) => late.addEventListener('abort', () => reject(late.reason)));
    await Promise.race([work, timeout]).catch(() => problems.push(problem));
  };
  const server = connection.withDeadline(Date.now() + TIMEOUT_MS, () => connection.workflowService.getSystemInfo({}));
  await check(server, 'the Temporal server does not respond');
  const written = askLedger().then((failure) => {
    if (failure !== null) throw failure;
  });
  await check(written, 'the ledger cannot be written');
  return problems.length === 0
    ? { status: 200, body: { status: 'ok' } }
    : { status: 503, body: { status: 'unavailable', reasons: problems } };
}
