import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { stringify } from 'yaml';
import { micros } from '../../contract/money.ts';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import type { LedgerId } from '../../src/submission/ids.ts';
import { freePort } from '../../src/temporal/free-port.ts';
import { seeded } from '../support/seeded.ts';
import { type AccountAdmin, AMPLE_BALANCE, openAccountAdmin, PRICE } from './account-admin.ts';
import type { KillableTemporal } from './killable-temporal.ts';
import { keepProgram, type Program } from './program.ts';
import { type FaultProxy, startFaultProxy } from './proxy.ts';
import { POISON, type Scenario } from './scenario.ts';
import { HOST, type Site, startSite } from './site.ts';

/** Requests a window on both sides: budgets have tests of their own. */
const AMPLE = 1_000_000;
const STALL_MS = 2_500;
/** A sitemap hangs at most so long: a little above the crawler's patience with one. */
const HANG_MS = 22_000;

/** Everything that a schedule runs: real programs on files of their own, and a network that obeys the seed. */
export interface Harness {
  readonly config: Config;
  readonly client: Client;
  readonly site: Site;
  readonly proxy: FaultProxy;
  readonly worker: Program;
  readonly service: Program;
  readonly admin: AccountAdmin;
  readonly ledger: Database;
  readonly ledgerId: LedgerId;
  readonly serviceDb: Database;
  /** Whether the gateway refuses the key. */
  refuseKey(refuse: boolean): void;
  /** From now on the network and the sites are as good as they get, but for index-checks. */
  disableFaults(): void;
  disableCheckFaults(): void;
  close(): Promise<void>;
}

export async function openHarness(plan: Scenario, temporal: KillableTemporal, folder: string): Promise<Harness> {
  mkdirSync(folder, { recursive: true });
  const path = (name: string) => join(folder, name);
  const closing: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const step of closing.reverse().splice(0)) await step();
  };
  try {
    const namespace = `faults-${plan.seed}-${Date.now().toString(36)}`;
    const client = await temporal.client(namespace);
    let share = plan.faultShare;
    let checkShare = plan.faultShare;
    let siteShare = plan.crawlFaultShare;
    let keyRefused = false;
    const hang = seeded(plan.seed ^ 0x4a46);
    const site = await startSite({
      random: seeded(plan.seed ^ 0x517e),
      share: () => siteShare,
      partsOf: (watch) => plan.watches.get(watch)?.parts ?? 1,
      hangMs: () => HANG_MS * hang() ** 3,
    });
    closing.push(() => site.close());
    for (const [watch, { first }] of plan.watches) site.publish(watch, first);

    const books = `sqlite:${path('service.db')}`;
    const operator = await openAccountAdmin(books, path('api-key'), getInitialBalance(plan));
    const port = await freePort();
    writeFileSync(
      path('service.yaml'),
      stringify(toServiceConfig({ books, port, jobMs: plan.jobMs }, { address: temporal.address, namespace })),
    );
    const service = await keepProgram(
      'service/cli/main.ts',
      ['serve', '--config', path('service.yaml'), '--log-level', 'silent', '--json'],
      'listening',
    );
    closing.push(() => service.stop());

    const proxy = await startFaultProxy({
      target: () => ({ host: '127.0.0.1', port }),
      random: seeded(plan.seed ^ 0x5eed),
      share: (check) => (check ? checkShare : share),
      faults: plan.faults,
      stallMs: STALL_MS,
      refuses: (body) => findRefusal(body, plan.tooLarge),
      refusesKey: () => keyRefused,
    });
    closing.push(() => proxy.close());

    const baseUrl = `http://127.0.0.1:${proxy.port}/api/v1`;
    const configFile = path('courier.yaml');
    writeFileSync(
      configFile,
      stringify(
        toCourierConfig(
          plan,
          { baseUrl, sitePort: site.port, keyFile: path('api-key') },
          { address: temporal.address, namespace },
        ),
      ),
    );
    const startWorker = async () => {
      const started = await keepProgram(
        'src/cli/main.ts',
        ['worker', '--config', configFile, '--json', '--quiet'],
        'ready',
      );
      closing.push(() => started.stop());
      return started;
    };
    const worker = await startWorker();
    for (let more = 1; more < plan.workers; more++) await startWorker();
    const config = loadConfig(configFile);
    const opened = await openLedger(config.ledgerUrl);
    await opened.close();
    const ledger = openDatabase(config.ledgerUrl);
    closing.push(() => ledger.close());
    const open = openDatabase(books);
    closing.push(() => open.close());
    const calm = () => {
      share = 0;
      siteShare = 0;
    };
    const calmChecks = () => {
      checkShare = 0;
    };
    const refuseKey = (refuse: boolean) => {
      keyRefused = refuse;
    };
    return {
      config,
      client,
      site,
      proxy,
      worker,
      service,
      admin: operator,
      ledger,
      ledgerId: opened.id,
      serviceDb: open,
      refuseKey,
      disableFaults: calm,
      disableCheckFaults: calmChecks,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function findRefusal(body: string, tooLarge: number | null): 422 | 413 | null {
  const { urls } = JSON.parse(body) as { urls: string[] };
  if (tooLarge !== null && urls.length > tooLarge) return 413;
  return urls.some((url) => url.includes(POISON)) ? 422 : null;
}

/** Enough for a share of the first pages where the plan says so; a top-up makes it ample. */
function getInitialBalance({ funds, watches }: Scenario) {
  if (funds === null) return AMPLE_BALANCE;
  const urls = [...watches.values()].reduce((sum, { first }) => sum + first.length, 0);
  return micros(Math.floor(urls * PRICE * funds));
}

function toServiceConfig(
  { books, port, jobMs }: { books: string; port: number; jobMs: number },
  temporal: { address: string; namespace: string },
) {
  const ample = (window_ms: number) => ({ limit: AMPLE, window_ms });
  return {
    database: books,
    port,
    budgets: {
      minute: ample(60_000),
      hour: ample(3_600_000),
      day: ample(86_400_000),
      submissions: ample(60_000),
    },
    // What a killed service was checking is given back soon, instead of after a minute.
    index_check: { timeout_ms: 2_000, lease_ms: 4_000 },
    processing: { simulated: { fast_ms: jobMs, standard_ms: jobMs }, sweep_ms: 500 },
    temporal,
  };
}

function toCourierConfig(
  plan: Scenario,
  { baseUrl, sitePort, keyFile }: { baseUrl: string; sitePort: number; keyFile: string },
  temporal: { address: string; namespace: string },
): object {
  const looks = { first: '0s', min: '300ms', max: '1500ms', growth: 1.2, timeout: '1h' };
  const watch = (name: string) => ({
    account: 'main',
    project: `Faults ${name}`,
    service: 'fast',
    first_run: 'submit',
    sitemaps: [`http://127.0.0.1:${sitePort}/${name}.xml`],
    hosts: [HOST],
    allow_private_hosts: ['127.0.0.1'],
    retry_failed: { times: 1, after: '1ms' },
    guard: { max_gone_percent: 30 },
    index_check: { after: '0s', every: '365d', sample: '10%' },
  });
  return {
    version: 1,
    accounts: {
      main: {
        base_url: baseUrl,
        api_key: { file: keyFile },
        price_per_url: '0.25 TRY',
        limits: { requests: { minute: AMPLE, hour: AMPLE, day: AMPLE }, submissions: { minute: AMPLE } },
        // An absence is believed when a late request would have arrived.
        reconcile: { confirm_after: '5s' },
        timeouts: { connect: '1s', answer: '2s', total: '3s' },
        tracking: { fast: looks, standard: looks },
      },
    },
    watches: Object.fromEntries([...plan.watches.keys()].map((name) => [name, watch(name)])),
    temporal,
    ledger: { url: 'sqlite:ledger.db' },
  };
}
