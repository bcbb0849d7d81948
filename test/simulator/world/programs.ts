import inject from 'light-my-request';
import { createActivities } from '../../../activities/index.ts';
import { createActivityInterceptor } from '../../../activities/interceptor.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { ConnectProcessing } from '../../../service/processing/open.ts';
import * as serviceWorkflows from '../../../service/processing/workflows/index.ts';
import { openService } from '../../../service/serve.ts';
import type { Config } from '../../../src/config/config.ts';
import { createDeps } from '../../../src/connector/create-deps.ts';
import { reconcileSchedules } from '../../../src/connector/schedules.ts';
import { type Database, DatabaseUnavailableError } from '../../../src/database/database.ts';
import { type Ledger, ledgerOver } from '../../../src/ledger/open-ledger.ts';
import { createLogger } from '../../../src/observability/log.ts';
import { type RateLimitStore, rateLimitsOver } from '../../../src/rate-limit/limiter.ts';
import type { LedgerId } from '../../../src/submission/ids.ts';
import { DUTIES, type Duty, getDutyQueue } from '../../../src/temporal-api/duties.ts';
import { getTaskQueue } from '../../../src/temporal-api/ids.ts';
import * as courierWorkflows from '../../../workflows/index.ts';
import { fence, type Host, type Kernel, runOn } from '../platform/kernel.ts';
import type { NetRequest, NetResponse, VirtualNetwork } from '../platform/network.ts';
import { hostedDatabase, type StorageSettings } from '../platform/storage.ts';
import { createClient } from '../temporal/client.ts';
import type { VirtualTemporal } from '../temporal/server.ts';
import { type TakeSlot, VirtualWorker } from '../temporal/worker.ts';
import { SERVICE } from './addresses.ts';
import { failOnce } from './fail-once.ts';

/** What every program of a simulation runs on. */
export interface Machine {
  readonly kernel: Kernel;
  readonly network: VirtualNetwork;
  /** The server now: its state can be lost. */
  readonly getTemporal: () => VirtualTemporal;
  /** Whether an operator lets it start now. */
  readonly mayStart: (program: Program) => boolean;
  /** See StorageSettings. */
  readonly storageDelay: () => number;
  readonly statementMs?: () => number;
  /** The database of the workers cannot be reached now. */
  readonly isDatabaseDown?: () => boolean;
  /** See StorageSettings. */
  readonly isCommitCut?: () => boolean;
  readonly onTurning?: (host: Host) => void;
  /** The activity slots of a worker that starts. */
  readonly createSlots?: () => TakeSlot;
}

const QUEUE = 'courier-service';
const LOG = createLogger('silent', 'simulator');
/** How long a service manager waits. */
const RESTART_MS = 10_000;

/** A program that can be killed at any moment and started again. */
export abstract class Program {
  protected readonly machine: Machine;
  readonly name: string;
  /** See Host. */
  protected readonly repeatMs: number = 0;
  host: Host | null = null;

  constructor(name: string, machine: Machine) {
    this.name = name;
    this.machine = machine;
  }

  start(): void {
    if (!this.machine.mayStart(this)) return;
    this.crash();
    const host: Host = { name: this.name, alive: true, repeatMs: this.repeatMs, fuse: null, die: () => this.crash() };
    this.host = host;
    this.machine.kernel.schedule(0, host, () => void this.boot(host));
  }

  crash(): void {
    if (this.host === null) return;
    this.machine.kernel.trace(`${this.name} dies`);
    this.host.alive = false;
    this.machine.network.disconnect(this.host);
    this.host = null;
  }

  protected hosted(db: Database, host: Host, more: Pick<StorageSettings, 'isDown' | 'isCut'> = {}): Database {
    return hostedDatabase(db, host, {
      ...more,
      kernel: this.machine.kernel,
      delay: this.machine.storageDelay,
      statementMs: this.machine.statementMs,
      onTurning: () => this.machine.onTurning?.(host),
    });
  }

  protected abstract boot(host: Host): Promise<void>;
}

/** What the specification leaves to a service. */
export interface ServiceBehavior {
  /** How long a job takes. */
  readonly getJobMs?: (reference: string) => number;
  /** URLs on a page of a job at most, whatever is asked for. */
  readonly urlsPerPage?: number;
  /** See Host. */
  readonly repeatMs?: number;
  /** Its addresses; absent: one. */
  readonly addresses?: readonly string[];
  /** Answers in its place; `ask` gives the service's own answer. */
  readonly answer?: (request: NetRequest, ask: Ask) => Promise<NetResponse>;
}

export type Ask = (request: NetRequest) => Promise<NetResponse>;

/** The real service, without its sockets. */
export class ServiceProgram extends Program {
  protected override readonly repeatMs: number;
  readonly #db: Database;
  readonly #behavior: ServiceBehavior;

  constructor(machine: Machine, db: Database, behavior: ServiceBehavior) {
    super('service', machine);
    this.#db = db;
    this.#behavior = behavior;
    this.repeatMs = behavior.repeatMs ?? 600_000;
  }

  protected async boot(host: Host): Promise<void> {
    const { network, getTemporal } = this.machine;
    const { getJobMs = () => 0, urlsPerPage = LIMITS.urlPage.max } = this.#behavior;
    const db = this.hosted(this.#db, host);
    const toPage = (limit: string) => `url_limit=${Math.min(Number(limit), urlsPerPage)}`;
    const connect: ConnectProcessing = (_options, activities) => {
      const server = getTemporal();
      const client = createClient(server, host);
      new VirtualWorker({
        ...{ server, host, taskQueues: [QUEUE], workflows: serviceWorkflows },
        activities: {
          ...activities,
          processStep: async (reference: string, step: number) => {
            await failOnce(db, reference, Date.now());
            return activities.processStep(reference, step);
          },
          planProcessing: async (reference: string, level: ServiceLevel) => {
            const plan = await activities.planProcessing(reference, level);
            const queuedMs = Math.floor(getJobMs(reference) / 3);
            return { ...plan, queuedMs, stepMs: Math.floor((2 * queuedMs) / Math.max(1, plan.steps)) };
          },
        },
      });
      return {
        // Nobody asks for the health of its workers, which it would write down every five seconds.
        isReady: () => false,
        onReady: () => undefined,
        async start(reference, service) {
          await client.workflow.start('processSubmission', {
            workflowId: reference,
            taskQueue: QUEUE,
            args: [{ reference, service }],
            workflowIdConflictPolicy: 'USE_EXISTING',
          });
        },
        close: async () => undefined,
      };
    };
    const service = await openService(db, {
      temporal: { address: 'virtual' },
      connect,
      simulated: { fastMs: 0, standardMs: 0 },
      // It is woken for each submission; what a killed service has left is found this often.
      settings: { processing: { sweepMs: 600_000 } },
    });
    const ask: Ask = async ({ method, path, headers, body }) => {
      const answer = await fence(
        host,
        inject(
          (request, response) => {
            // What the service asks of its sockets: the whole request has arrived.
            Object.assign(request.socket, { setTimeout: () => undefined });
            Object.assign(request, { complete: true });
            service.app.routing(request, response);
          },
          {
            method: method as 'GET' | 'POST',
            url: path.replace(/\burl_limit=(\d+)/, (_, limit: string) => toPage(limit)),
            headers: { ...headers, host: 'service.example' },
            ...(body.length === 0 ? {} : { payload: body }),
          },
        ),
      );
      return {
        status: answer.statusCode,
        headers: answer.headers as Record<string, string>,
        body: answer.rawPayload,
      };
    };
    const { addresses = [SERVICE], answer } = this.#behavior;
    const endpoint = { host, answer: answer === undefined ? ask : (request: NetRequest) => answer(request, ask) };
    for (const address of addresses) network.listen(address, endpoint);
  }
}

/** A worker of the connector. */
export class WorkerProgram extends Program {
  readonly #ledger: () => Database;
  readonly #budgets: Database;
  readonly #config: () => Config;
  readonly #duties: readonly Duty[];
  worker: VirtualWorker | null = null;
  /** In force now. */
  #inForce: Config | null = null;

  constructor(
    name: string,
    machine: Machine,
    ledger: () => Database,
    budgets: Database,
    config: () => Config,
    duties: readonly Duty[] = DUTIES,
  ) {
    super(name, machine);
    this.#duties = duties;
    this.#ledger = ledger;
    this.#budgets = budgets;
    this.#config = config;
  }

  protected async boot(host: Host): Promise<void> {
    const { network, getTemporal, createSlots } = this.machine;
    const server = getTemporal();
    const opened = await this.#open(host);
    if (opened === null) return;
    const { ledger, rateLimits } = opened;
    const config = this.#config();
    this.#inForce = config;
    const deps = createDeps({
      ...{ getConfig: () => this.#inForce ?? config, log: LOG, ledger, rateLimits },
      client: createClient(server, host),
      now: Date.now,
      random: Math.random,
      stopping: new AbortController().signal,
      dispatcher: network.createDispatcher(),
      keep: (resource) => resource,
    });
    this.worker = new VirtualWorker({
      ...{ server, host, workflows: courierWorkflows },
      taskQueues: this.#duties.map((duty) => getDutyQueue(getTaskQueue(ledger.id), duty)),
      activities: createActivities(deps),
      interceptor: createActivityInterceptor({ random: Math.random }),
      ...(createSlots === undefined ? {} : { takeSlot: createSlots() }),
    });
    await this.#syncSchedules(host, server, config, ledger.id);
  }

  /** Takes the configuration of now, as a running worker does that sees another file. */
  reload(): void {
    if (this.host !== null) this.#inForce = this.#config();
  }

  /** The databases; null: they cannot be reached, and the worker ends and is started again. */
  async #open(host: Host): Promise<{ readonly ledger: Ledger; readonly rateLimits: RateLimitStore } | null> {
    const { isDatabaseDown: isDown, isCommitCut: isCut } = this.machine;
    try {
      const ledger = await ledgerOver(this.hosted(this.#ledger(), host, { isDown, isCut }), Date.now);
      return { ledger, rateLimits: await rateLimitsOver(this.hosted(this.#budgets, host, { isDown, isCut })) };
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      this.#startAgain();
      return null;
    }
  }

  /** As `courier worker` does at its start; one that cannot reach the server ends, and is started again. */
  async #syncSchedules(host: Host, server: VirtualTemporal, config: Config, ledger: LedgerId): Promise<void> {
    if (server.schedules.size === 0 && [...config.watches.values()].every(({ schedule }) => schedule === null)) return;
    try {
      await reconcileSchedules(createClient(server, host), config, ledger);
    } catch (error) {
      const { name } = error as Error;
      if (name !== 'ServiceError' && name !== 'DatabaseUnavailableError') throw error;
      this.#startAgain();
    }
  }

  #startAgain(): void {
    this.crash();
    this.machine.kernel.schedule(RESTART_MS, null, () => {
      if (this.host === null) this.start();
    });
  }
}

/** An operator at a terminal, whose commands never die. */
export function onTerminal<T>(work: () => Promise<T>): Promise<T> {
  return runOn({ name: 'operator', alive: true }, work);
}
