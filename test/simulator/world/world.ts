import { micros } from '../../../contract/money.ts';
import { administer } from '../../../service/accounts/administration.ts';
import type { Config } from '../../../src/config/config.ts';
import type { Database } from '../../../src/database/database.ts';
import { type Ledger, ledgerOver } from '../../../src/ledger/open-ledger.ts';
import type { LedgerId } from '../../../src/submission/ids.ts';
import { DUTIES } from '../../../src/temporal-api/duties.ts';
import { approveUpdate } from '../../../src/temporal-api/messages.ts';
import { WORKFLOW } from '../../../src/temporal-api/workflows.ts';
import { pick, seeded } from '../../support/seeded.ts';
import { limitBatches } from '../platform/batch-limit.ts';
import { getHost, type Host, Kernel, setKernel } from '../platform/kernel.ts';
import { type NetRequest, type NetResponse, setNetwork, VirtualNetwork } from '../platform/network.ts';
import { VirtualTemporal } from '../temporal/server.ts';
import { ACCOUNT_NAMES, type AccountName, SERVICE_NAMES } from './account-names.ts';
import { ADDRESSES, type Address, NEW_ADDRESS, OTHER_SERVICE } from './addresses.ts';
import {
  FIRST_PLACES,
  type OperatorSettings,
  RETRIES,
  RETRY_AFTER_MS,
  toConfig,
  USUAL_POLICY,
  type WatchSettings,
} from './configuration.ts';
import { Speaker, showsFailures, toAccountSettings } from './dialect.ts';
import { isSureRefusal, type Outage, SURE, type SubmissionFault, serviceFaults, siteFaults } from './faults.ts';
import { Happenings } from './happenings.ts';
import { Keys } from './keys.ts';
import { Labels } from './labels.ts';
import { describePrice, getLevelPrice, LEVELS } from './levels.ts';
import { Meetings } from './meetings.ts';
import type { Breach } from './oracle/breaches.ts';
import { describeCaps } from './oracle/caps-rule.ts';
import { Oracle } from './oracle/oracle.ts';
import type { Asked } from './oracle/rate-rule.ts';
import { readSitemap } from './oracle/request-reader.ts';
import { type Machine, onTerminal, type ServiceBehavior, ServiceProgram, WorkerProgram } from './programs.ts';
import { type Scenario, toPrice } from './scenario.ts';
import { SITE, Site } from './site.ts';
import { openStores, type Stores } from './stores.ts';
import { answerAt } from './where.ts';

const DAY = 86_400_000;
/** By then a worker has written down what it has read. */
const WRITTEN_MS = 5_000;
const JOB = /\/submissions\/[^/?]+/;
/** Answers whose Retry-After is kept: too many requests, still running, unavailable. */
const WAITS: readonly number[] = [429, 409, 503];
const NO_OUTAGES: ReadonlySet<Outage> = new Set();

/** What a long simulation changes about a world. */
export interface WorldOptions {
  readonly onTrace?: ((line: string) => void) | null;
  /** Further settings of each watch. */
  readonly watchSettings?: WatchSettings;
  readonly service?: ServiceBehavior;
  /** See Breaches. */
  readonly findKnown?: (breach: Breach) => string | null;
  /** See ServerSettings. */
  readonly isSticky?: boolean;
  /** So long after a worker died while it sent is it started again; absent: nobody starts it before the end. */
  readonly restartMs?: number;
  /** The service has answered a request. */
  readonly onAnswered?: (request: NetRequest, response: NetResponse) => void;
}

/** Everything that one simulation holds. */
export class World {
  readonly scenario: Scenario;
  readonly kernel: Kernel;
  readonly stores: Stores;
  readonly site = new Site();
  readonly oracle: Oracle;
  readonly labels: Labels;
  readonly network: VirtualNetwork;
  readonly service: ServiceProgram;
  readonly workers: readonly WorkerProgram[];
  readonly ledgerId: LedgerId;
  temporal: VirtualTemporal;
  settings: OperatorSettings;
  /** A copy of the ledger has come back at some time. */
  wasRestored = false;
  isRecovering = false;
  /** The sitemaps of watches that are not configured now, and that their operator puts back. */
  readonly removed = new Set<string>();
  /** A gateway refuses the keys of these accounts. */
  readonly refusedKeys = new Set<AccountName>();
  /** What lasts at the service now, in a world that is not good. */
  readonly outages = new Set<Outage>();
  /** What each submission of a watch meets now, by its sitemap, in a world that is not good. */
  readonly meets = new Map<string, SubmissionFault>();
  /** The balance cannot be understood now. */
  hidesBalance = false;
  /** Postgres cannot be reached: every call of a worker to the ledger and to the rate limits fails. */
  isDatabaseDown = false;
  /** It goes down with the next commit of a worker, whose answer is lost. */
  cutsNextCommit = false;
  /** Files of sitemaps that cannot be read now, by their path. */
  readonly lostFiles = new Set<string>();
  /** The sequence of the seed has ended: the rest of its time is not played. */
  isOver = false;
  /** The network and the sites are as they should be. */
  isGood = false;
  /** What each act met. */
  readonly meetings = new Meetings();
  readonly happenings = new Happenings();
  runs = 0;
  /** Runs that a time of a schedule began. */
  timedRuns = 0;
  readonly #latency: () => number;
  readonly keys: Keys;
  /** The worker that sent the last batch. */
  sender: WorkerProgram | null = null;
  /** Nobody answers at these. */
  readonly closed = new Set<Address>();
  /** Accounts whose configuration names the new address of their service, which no operator has confirmed. */
  readonly unconfirmed = new Set<AccountName>();
  /** An operator is about to move accounts, or to rotate their keys. */
  isMoving = false;
  readonly #machine: Machine;
  readonly #options: WorldOptions;

  constructor(scenario: Scenario, options: WorldOptions = {}) {
    this.#options = options;
    this.scenario = scenario;
    const { seed, latencyMs, storageShare, tooLarge, faultShare, siteFaultShare } = scenario;
    this.kernel = new Kernel(seed, scenario.epoch, options.onTrace ?? null);
    setKernel(this.kernel);
    const { kernel } = this;
    const random = seeded(seed ^ 0x1a7e);
    const latency = () => 1 + random() ** 3 * latencyMs;
    this.#latency = latency;
    this.stores = openStores();
    const row = this.stores.read.ledger.prepare(`SELECT value FROM ledger_settings WHERE name = 'ledger_id'`).get();
    this.ledgerId = (row as { value: LedgerId }).value;
    const policy = { ...USUAL_POLICY, ...scenario.policy };
    const { checks, notWithinMs, buysChanges, resubmitAfter, guard, firstRun } = policy;
    this.labels = new Labels(this.stores, () => this.oracle.listings.order);
    this.oracle = new Oracle({
      kernel,
      service: this.stores.read.service,
      site: this.site,
      retry: { times: RETRIES, afterMs: RETRY_AFTER_MS },
      price: toPrice(scenario),
      wasTried: (key) => countAttempts(this.stores, key) > 1,
      ...{ checks, notWithinMs, buysChanges, resubmitAfter, guard },
      findKnown: options.findKnown ?? (() => null),
      hasBaseline: firstRun === 'baseline',
      isComplete: (run) => this.labels.isComplete(run),
      findOpenRun: (watch) => this.labels.findOpenRun(watch),
      findLabel: (key) => this.labels.find(key),
      listReady: (key) => this.labels.listReady(key, kernel.getClock()),
      findTurn: (tag) => this.labels.findTurn(tag),
      findCheckWatch: (key) => this.labels.findCheckWatch(key),
    });
    const toServiceFault = serviceFaults({
      random: seeded(seed ^ 0xfa17),
      share: () => (this.isGood ? 0 : faultShare),
      tooLarge,
      outages: () => (this.isGood ? NO_OUTAGES : this.outages),
      meets: (project) => (this.isGood ? null : (this.meets.get(readSitemap(project)) ?? null)),
      hidesBalance: () => this.hidesBalance && !this.isGood,
      refusesKey: (request) => this.refusedKeys.size > 0 && this.refusedKeys.has(this.keys.getOwner(request)),
      listLagMs: scenario.listLagMs,
      getLatestTime: (agoMs) => kernel.getLatestTime(agoMs),
      cutsAnywhere: scenario.cutsAnywhere ?? false,
      endlessShare: scenario.endlessShare ?? 0,
      onShown: (reference, shown) => this.oracle.showed(reference, shown),
    });
    const toSiteFault = siteFaults(seeded(seed ^ 0x517e), () => (this.isGood ? 0 : siteFaultShare), {
      cutsAnywhere: scenario.cutsAnywhere ?? false,
      isLost: (path) => !this.isGood && this.lostFiles.has(path),
    });
    this.network = new VirtualNetwork({
      kernel,
      latency,
      getFault: (request) => {
        if (request.origin === SITE) return toSiteFault(request);
        return this.closed.has(request.origin as Address) ? { kind: 'refused' } : toServiceFault(request);
      },
      onSent: (request, fault) => {
        this.oracle.sent(request, SERVICE_NAMES[this.keys.getOwner(request)], isSureRefusal(fault));
        this.#checkPlace(request);
        if (request.origin === SITE) this.#onCrawl();
        else this.oracle.rates.sent(this.#toAsked(request), kernel.getClocks());
        if (request.path.endsWith('/me')) this.oracle.notePrices(SERVICE_NAMES[this.keys.getOwner(request)], 'asked');
        if (fault.kind === 'late') this.#late.add(request);
        if (request.method === 'POST' && request.path.endsWith('/submissions')) this.#onSubmission();
        for (const ask of this.#asking) ask();
      },
      onRefused: (request) => this.oracle.foundNobody(request, SERVICE_NAMES[this.keys.getOwner(request)]),
      onRead: (request, response, share) => this.#onRead(request, response, share),
      onAnswered: (request, response) => {
        if (request.method === 'POST') this.oracle.check();
        if (request.origin !== SITE && !this.#late.delete(request)) this.#onHad(request, response);
        if (request.origin !== SITE) options.onAnswered?.(request, response);
      },
    });
    setNetwork(this.network);
    this.temporal = this.#createTemporal();
    limitBatches(scenario.batchUrls ?? null);
    const { statementMs = 0 } = scenario;
    const storageRandom = seeded(seed ^ 0xd15c);
    this.#machine = {
      kernel,
      network: this.network,
      getTemporal: () => this.temporal,
      mayStart: (program) => program === this.service || !this.#isStopped,
      onTurning: ({ name }) => this.oracle.breach(`${name} turns without a wait`),
      storageDelay: () => (storageRandom() < storageShare ? 1 + storageRandom() * 50 : 0),
      statementMs: () => (statementMs === 0 ? 0 : storageRandom() * statementMs),
      isDatabaseDown: () => this.isDatabaseDown,
      isCommitCut: () => {
        if (!this.cutsNextCommit) return false;
        this.cutsNextCommit = false;
        this.isDatabaseDown = true;
        kernel.trace('the answer to a commit is lost');
        return true;
      },
    };
    for (const [sitemap, format] of scenario.formats ?? []) this.site.formats.set(sitemap, format);
    for (const [watch, pages] of scenario.watches) this.site.publish(watch, pages);
    this.network.listen(SITE, this.site);
    const watches = new Map([...scenario.watches.keys()].map((watch) => [watch, watch]));
    const dialect = scenario.services?.dialect;
    this.settings = {
      price: scenario.configuresPrice ? toPrice(scenario) : null,
      levels: scenario.levels ?? new Map(),
      caps: scenario.caps,
      floor: 0,
      watches,
      secondAccount: scenario.second === undefined ? null : new Set(scenario.second.sitemaps),
      schedules: scenario.schedules,
      pollsSeldom: scenario.pollsSeldom,
      hasTwoFiles: scenario.hasTwoFiles ?? false,
      policy,
      places: this.#toFirstPlaces(),
      missingAccounts: new Set(),
      accountSettings: dialect === undefined ? {} : toAccountSettings(dialect),
    };
    this.oracle.configure(this.settings);
    this.keys = new Keys(this);
    this.oracle.hidesFailures = dialect !== undefined && !showsFailures(dialect);
    const speaker = dialect === undefined ? null : new Speaker(dialect, (agoMs) => kernel.getLatestTime(agoMs), seed);
    for (const account of this.accounts) this.keys.useFirst(account);
    this.service = new ServiceProgram(this.#machine, this.stores.service, {
      getJobMs: () => scenario.jobMs,
      ...(scenario.services === undefined
        ? {}
        : {
            addresses: ADDRESSES,
            answer: (request, ask) =>
              answerAt(this, request, speaker === null ? ask : (each) => speaker.answer(each, ask)),
          }),
      ...options.service,
    });
    const duties = scenario.duties ?? Array.from({ length: scenario.workers }, () => DUTIES);
    this.workers = duties.map(
      (each, n) =>
        new WorkerProgram(
          `worker-${n + 1}`,
          this.#machine,
          () => this.stores.ledger,
          this.stores.budgets,
          () => this.readConfig(),
          each,
        ),
    );
  }

  /** Requests that arrive long after their client has given them up. */
  readonly #late = new Set<NetRequest>();

  #toAsked({ method, path, headers }: NetRequest): Asked {
    const isPost = method === 'POST';
    const lane = isPost && path.endsWith('/submissions') ? 'submissions' : isPost ? 'checks' : 'other';
    const key = headers.authorization ?? headers['x-api-key'] ?? '';
    // Commands of an operator read jobs, too.
    const isPoll =
      method === 'GET' && JOB.test(path) && this.workers.some(({ host }) => host !== null && host === getHost());
    const request = headers['idempotency-key'] ?? (isPoll ? path : null);
    return { key, lane, request, now: this.kernel.getClock(), elapsed: this.kernel.elapsed };
  }

  #onHad(request: NetRequest, { status }: NetResponse): void {
    const asked = this.#toAsked(request);
    // Another program, which is not simulated, has a key of its own.
    if (status === 401) return;
    this.oracle.rates.had({ ...asked, now: this.kernel.now() });
    if (status === 429 && this.scenario.services?.dialect === undefined) this.oracle.rates.refused(asked);
  }

  #onRead(request: NetRequest, response: NetResponse, share: number): void {
    if (request.origin === SITE) {
      this.labels.note();
      this.oracle.delivered(request.path, response, share);
      return;
    }
    if (share < 1) return;
    const wait = response.headers['retry-after'];
    const asked = this.#toAsked(request);
    const { status } = response;
    if (WAITS.includes(status) && typeof wait === 'string')
      this.#onWritten(() => this.oracle.rates.mustWait(asked, status, wait));
    if (request.path.endsWith('/me') && status === 200)
      this.oracle.notePrices(SERVICE_NAMES[this.keys.getOwner(request)], 'shown');
    if (request.method !== 'POST') return;
    if (SURE.includes(status)) this.#onWritten(() => this.oracle.refused(request));
    else if (status < 300) this.#onWritten(() => this.oracle.answered(request));
  }

  /** Once the worker has written down what it has read now: not if it dies before, or its database is away. */
  #onWritten(work: () => void): void {
    if (this.isDatabaseDown) return;
    this.kernel.schedule(WRITTEN_MS, getHost(), () => {
      if (!this.isDatabaseDown) work();
    });
  }

  #createTemporal(): VirtualTemporal {
    return new VirtualTemporal({
      kernel: this.kernel,
      latency: this.#latency,
      suggestAfter: this.scenario.suggestAfter,
      isSticky: this.#options.isSticky ?? false,
      leastRetryMs: (type) => (type === 'awaitRun' ? this.scenario.runPollMs : 0),
      leastTimerMs: (type, summary) =>
        type === WORKFLOW.watchSitemap && summary.startsWith('WAITING: ') ? this.scenario.runPollMs : 0,
      onScheduled: (type, _args, by) => {
        if (type !== WORKFLOW.watchSitemap) return;
        if (by === 'time') this.timedRuns += 1;
      },
      onUpdated: (run, name) => {
        if (name === approveUpdate.name) this.oracle.approved(run);
      },
      onBreach: (text) => this.oracle.breach(text),
    });
  }

  #config: { readonly settings: OperatorSettings; readonly key: string | undefined; readonly config: Config } | null =
    null;

  /** As an operator writes it now. */
  readConfig(): Config {
    const { settings } = this;
    const key = process.env.SIMULATED_KEY;
    if (this.#config?.settings !== settings || this.#config.key !== key) {
      this.#config = { settings, key, config: toConfig(settings, this.#options.watchSettings ?? {}) };
    }
    return this.#config.config;
  }

  #onSubmission(): void {
    this.#submissions += 1;
    this.sender = this.workers.find(({ host }) => host !== null && host === getHost()) ?? null;
    for (const resolve of this.#onSent) resolve();
    this.#onSent.clear();
    if (this.scenario.forgetsKeys) this.stores.forgetKeys(this.kernel.now() - DAY);
    if (!this.#crashesAtSubmission) return;
    this.#crashesAtSubmission = false;
    const { sender } = this;
    sender?.crash();
    const { restartMs } = this.#options;
    if (sender === null || restartMs === undefined) return;
    this.kernel.schedule(restartMs, null, () => {
      if (sender.host === null) sender.start();
    });
  }

  #crashesAtSubmission = false;
  #submissions = 0;

  /** Waits until a worker sends a batch, and for ten minutes at most. */
  async awaitSubmission(): Promise<void> {
    const before = this.#submissions;
    for (let waited = 0; this.#submissions === before && waited < 600_000; waited += 1_000) {
      await this.kernel.sleep(1_000);
    }
  }

  /** Waits until a worker sends a batch, and goes on at that moment; for ten minutes at most. */
  nextSubmission(): Promise<void> {
    return new Promise((resolve) => {
      this.#onSent.add(resolve);
      this.kernel.schedule(600_000, null, resolve);
    });
  }

  readonly #onSent = new Set<() => void>();

  /** Waits until it is so: asks whenever a request leaves, and every five seconds. For so long at most. */
  async until(isSo: () => boolean, mostMs: number): Promise<void> {
    const { kernel } = this;
    const endsAt = kernel.elapsed + mostMs;
    let isOver = false;
    const over = new Promise<void>((resolve) => {
      const ask = () => {
        if (kernel.elapsed < endsAt && !isSo()) return;
        isOver = true;
        this.#asking.delete(ask);
        resolve();
      };
      const askAgain = () => {
        if (!isOver) ask();
        if (!isOver) kernel.schedule(5_000, null, askAgain);
      };
      this.#asking.add(ask);
      askAgain();
    });
    await over;
  }

  readonly #asking = new Set<() => void>();
  #onCrawl(): void {
    const host = getHost();
    const crawler = this.workers.find((each) => each.host !== null && each.host === host) ?? null;
    if (crawler === null) return;
    for (const resolve of this.#onCrawled) resolve(crawler);
    this.#onCrawled.clear();
  }

  /** Waits until a worker asks for a sitemap; null: none did within ten minutes. */
  nextCrawl(): Promise<WorkerProgram | null> {
    return new Promise((resolve) => {
      this.#onCrawled.add(resolve);
      this.kernel.schedule(600_000, null, () => resolve(null));
    });
  }

  readonly #onCrawled = new Set<(crawler: WorkerProgram) => void>();

  /** Waits until a worker sends a batch, and kills that one: its answer is lost. Ends after ten minutes without one. */
  async crashAtSubmission(): Promise<void> {
    this.#crashesAtSubmission = true;
    for (let waited = 0; this.#crashesAtSubmission && waited < 600_000; waited += 1_000) await this.kernel.sleep(1_000);
    this.#crashesAtSubmission = false;
  }

  /** For so long; one that lasts already goes on as it would. */
  async suffer(outage: Outage, forMs: number): Promise<void> {
    if (this.outages.has(outage)) return;
    this.outages.add(outage);
    this.kernel.trace(`outage: ${outage}`);
    await this.kernel.sleep(forMs);
    this.outages.delete(outage);
    this.kernel.trace(`over: ${outage}`);
  }

  /** Stops all workers, changes the configuration, and starts them again. */
  async reconfigure(
    change: Partial<OperatorSettings> | ((settings: OperatorSettings) => Partial<OperatorSettings>),
  ): Promise<void> {
    await this.whileStopped(async () => {
      // What a killed worker has sent is charged within this time, and counts for the cap that it was sent under.
      await this.kernel.sleep(1_000);
      this.settings = { ...this.settings, ...(typeof change === 'function' ? change(this.settings) : change) };
      this.oracle.configure(this.settings);
      const { price, caps, floor, watches } = this.settings;
      this.kernel.trace(
        `configured: price ${describePrice(price)}, caps ${describeCaps(caps)}, floor ${floor}, watches ${[...watches.keys()].join(' ')}`,
      );
    });
  }

  /** Changes the configuration under running workers, each of which takes it at a moment of its own. */
  reload(change: Partial<OperatorSettings>, random: () => number): void {
    this.settings = { ...this.settings, ...change };
    this.kernel.trace('configured, without a restart');
    for (const worker of this.workers) this.kernel.schedule(1_000 + random() * 3_000, null, () => worker.reload());
  }

  /** Works while no worker runs; those of several callers wait for each other. */
  async whileStopped(work: () => Promise<void>): Promise<void> {
    while (this.#isStopped) await this.kernel.sleep(10_000);
    this.#isStopped = true;
    for (const worker of this.workers) worker.crash();
    await work();
    this.#isStopped = false;
    for (const worker of this.workers) worker.start();
  }

  #isStopped = false;
  /** No worker may run now: an operator changes what they run on. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The server begins again without any workflow. */
  async loseTemporal(): Promise<void> {
    this.service.crash();
    this.temporal.stop();
    this.temporal = this.#createTemporal();
    this.kernel.trace('the state of Temporal is lost');
    await this.kernel.sleep(1_000);
    this.service.start();
  }

  #operatorLedger: { readonly db: Database; readonly ledger: Promise<Ledger> } | null = null;

  /** As a command has it open: beside all others. Commands are many, and each would find the tables up to date. */
  openOperatorLedger(): Promise<Ledger> {
    const { ledger: db } = this.stores;
    if (this.#operatorLedger?.db !== db) this.#operatorLedger = { db, ledger: ledgerOver(db, Date.now) };
    return this.#operatorLedger.ledger;
  }

  /** Those of the configuration. */
  get accounts(): readonly AccountName[] {
    return this.scenario.second === undefined ? ['main'] : ACCOUNT_NAMES;
  }

  /** One of the accounts: draws where there are two. */
  pickAccount(random: () => number): AccountName {
    return this.accounts.length > 1 ? pick(random, this.accounts) : 'main';
  }

  /** Those that the configuration names now. */
  get configuredAccounts(): readonly AccountName[] {
    return this.accounts.filter((account) => !this.settings.missingAccounts.has(account));
  }

  #toFirstPlaces(): OperatorSettings['places'] {
    if (this.scenario.services?.isSecondElsewhere !== true) return FIRST_PLACES;
    return { ...FIRST_PLACES, second: { ...FIRST_PLACES.second, address: OTHER_SERVICE } };
  }

  /** Nothing leaves with a key that belongs to another account, nor to an address that nobody has confirmed. */
  #checkPlace(request: NetRequest): void {
    const what = `${request.method} ${request.path.replace(/\?.*/, '')}`;
    if (this.keys.isWrong(request) && !(request.path.endsWith('/me') && request.origin !== OTHER_SERVICE))
      this.oracle.breach(`${what} left for ${request.origin} with the key of another account`);
    if (request.origin === NEW_ADDRESS && this.unconfirmed.has(this.keys.getOwner(request)))
      this.oracle.breach(`${what} left for an address that nobody has confirmed`);
  }

  readBalance(account: AccountName): number {
    const row = this.stores.read.service
      .prepare('SELECT balance FROM accounts WHERE name = ?')
      .get(SERVICE_NAMES[account]);
    return (row as { balance: number }).balance;
  }

  start(): void {
    const { balance, second } = this.scenario;
    const price = toPrice(this.scenario);
    const { kernel } = this;
    kernel.schedule(0, null, () => {
      void onTerminal(async () => {
        const accounts = administer(this.stores.service);
        for (const account of this.accounts) {
          const name = SERVICE_NAMES[account];
          for (const level of LEVELS) await accounts.setPrice(name, level, micros(getLevelPrice(price, level)));
          const holds = account === 'main' ? balance : (second?.balance ?? 0);
          if (holds > 0) await accounts.topUp(name, micros(holds));
        }
        this.service.start();
        for (const worker of this.workers) worker.start();
      });
    });
  }

  readonly #operator: Host = { name: 'operator', alive: true };
  get operator(): Host {
    return this.#operator;
  }

  async close(): Promise<void> {
    for (const program of [this.service, ...this.workers]) program.crash();
    let closed = false;
    const closing = this.stores.close().then(() => {
      closed = true;
    });
    await this.kernel.play(() => closed, 60_000);
    await closing;
    limitBatches(null);
    setNetwork(null);
    setKernel(null);
  }
}

/** The attempts of a batch that the ledger has recorded. */
function countAttempts({ read }: World['stores'], key: string): number {
  const row = read.ledger.prepare('SELECT attempts FROM batches WHERE idempotency_key = ?').get(key) as
    | { attempts: number }
    | undefined;
  return row?.attempts ?? 0;
}
