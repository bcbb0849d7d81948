import { formatTry, type Micros, micros } from '../../../contract/money.ts';
import { administer } from '../../../service/accounts/administration.ts';
import type { Config } from '../../../src/config/config.ts';
import { readConfig } from '../../../src/config/load.ts';
import type { LedgerId } from '../../../src/submission/ids.ts';
import { seeded } from '../../support/seeded.ts';
import { type Host, Kernel, setKernel } from '../platform/kernel.ts';
import { setNetwork, VirtualNetwork } from '../platform/network.ts';
import { VirtualTemporal } from '../temporal/server.ts';
import { serviceFaults, siteFaults } from './faults.ts';
import { Oracle } from './oracle.ts';
import { type Machine, onTerminal, SERVICE, ServiceProgram, WorkerProgram } from './programs.ts';
import type { Scenario } from './scenario.ts';
import { SITE, Site } from './site.ts';
import { ACCOUNT, getFirstKey, openStores, type Stores } from './stores.ts';

/** Where the simulation's clocks begin. */
export const EPOCH = Date.UTC(2026, 2, 27, 9);
const RETRIES = 1;
let worlds = 0;

/** Everything that one simulation holds. */
export class World {
  readonly scenario: Scenario;
  readonly kernel: Kernel;
  readonly stores: Stores;
  readonly site = new Site();
  readonly oracle: Oracle;
  readonly network: VirtualNetwork;
  readonly service: ServiceProgram;
  readonly workers: readonly WorkerProgram[];
  readonly ledgerId: LedgerId;
  temporal: VirtualTemporal;
  /** Watches of the configuration, and the sitemap of each. */
  watches: ReadonlyMap<string, string>;
  refusesKey = false;
  /** The network and the sites are as they should be. */
  isGood = false;
  runs = 0;
  readonly #key: { id: string };
  readonly #machine: Machine;

  constructor(scenario: Scenario, onTrace: ((line: string) => void) | null = null) {
    worlds += 1;
    this.scenario = scenario;
    const { seed, latencyMs, storageShare, tooLarge, faultShare, siteFaultShare } = scenario;
    this.kernel = new Kernel(seed, EPOCH, onTrace);
    setKernel(this.kernel);
    const { kernel } = this;
    const random = seeded(seed ^ 0x1a7e);
    const latency = () => 1 + random() ** 3 * latencyMs;
    this.stores = openStores(`${seed}-${worlds}`);
    const row = this.stores.read.ledger.prepare(`SELECT value FROM ledger_settings WHERE name = 'ledger_id'`).get();
    this.ledgerId = (row as { value: LedgerId }).value;
    this.oracle = new Oracle({ kernel, service: this.stores.read.service, site: this.site, retries: RETRIES });
    const toServiceFault = serviceFaults({
      random: seeded(seed ^ 0xfa17),
      share: () => (this.isGood ? 0 : faultShare),
      tooLarge,
      refusesKey: () => this.refusesKey,
    });
    const toSiteFault = siteFaults(seeded(seed ^ 0x517e), () => (this.isGood ? 0 : siteFaultShare));
    this.network = new VirtualNetwork({
      kernel,
      latency,
      getFault: (request) => (request.origin === SERVICE ? toServiceFault(request) : toSiteFault()),
      onSent: (request) => this.oracle.sent(request),
      onAnswered: ({ method }) => void (method === 'POST' && this.oracle.check()),
    });
    setNetwork(this.network);
    this.temporal = this.createTemporal(latency);
    const storageRandom = seeded(seed ^ 0xd15c);
    this.#machine = {
      kernel,
      network: this.network,
      getTemporal: () => this.temporal,
      storageDelay: () => (storageRandom() < storageShare ? 1 + storageRandom() * 50 : 0),
    };
    for (const [watch, pages] of scenario.watches) this.site.publish(watch, pages);
    this.network.listen(SITE, this.site);
    this.watches = new Map([...scenario.watches.keys()].map((watch) => [watch, watch]));
    const key = getFirstKey();
    this.#key = { id: key.id };
    process.env.SIMULATED_KEY = key.apiKey;
    this.service = new ServiceProgram(this.#machine, this.stores.service, () => scenario.jobMs);
    this.workers = Array.from(
      { length: scenario.workers },
      (_, n) =>
        new WorkerProgram(
          `worker-${n + 1}`,
          this.#machine,
          () => this.stores.ledger,
          this.stores.budgets,
          () => this.readConfig(),
        ),
    );
  }

  createTemporal(latency: () => number): VirtualTemporal {
    return new VirtualTemporal({
      kernel: this.kernel,
      latency,
      suggestAfter: this.scenario.suggestAfter,
      onBreach: (text) => this.oracle.breach(text),
    });
  }

  /** As an operator writes it now. */
  readConfig(): Config {
    const watch = (sitemap: string) => ({
      account: 'main',
      project: `Project ${sitemap}`,
      service: 'fast',
      first_run: 'submit',
      sitemaps: [`${SITE}/${sitemap}.xml`],
      hosts: [new URL(SITE).host],
      retry_failed: { times: RETRIES, after: '5m' },
      resubmit: { on_lastmod_change: true },
      guard: { max_gone_percent: 30 },
      index_check: { after: '0s', every: '365d', sample: '10%' },
    });
    const { cap } = this.oracle;
    const text = JSON.stringify({
      version: 1,
      accounts: {
        main: {
          base_url: `${SERVICE}/api/v1`,
          api_key: { env: 'SIMULATED_KEY' },
          ...(Number.isFinite(cap) ? { spend: { per_day: formatTry(cap as Micros) } } : {}),
        },
      },
      watches: Object.fromEntries([...this.watches].map(([name, sitemap]) => [name, watch(sitemap)])),
    });
    return readConfig(text, '/courier.yaml');
  }

  start(): void {
    const { balance, price } = this.scenario;
    const { kernel } = this;
    kernel.schedule(0, null, () => {
      void onTerminal(async () => {
        const accounts = administer(this.stores.service);
        for (const level of ['standard', 'fast'] as const) await accounts.setPrice(ACCOUNT, level, micros(price));
        if (balance > 0) await accounts.topUp(ACCOUNT, micros(balance));
        this.service.start();
        for (const worker of this.workers) worker.start();
      });
    });
  }

  /** The operator's work at the service. */
  async replaceKey(then: () => Promise<void>): Promise<void> {
    const accounts = administer(this.stores.service);
    await accounts.revokeKey(this.#key.id);
    await then();
    const { id } = await accounts.account(ACCOUNT);
    const key = await accounts.createKey({ account: id, name: ACCOUNT });
    this.#key.id = key.id;
    process.env.SIMULATED_KEY = key.apiKey;
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
    setNetwork(null);
    setKernel(null);
  }
}
