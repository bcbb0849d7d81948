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
import { type CourierSettings, toCourierConfig, toServiceConfig } from './configuration.ts';
import type { KillableTemporal } from './killable-temporal.ts';
import { keepProgram, type Program } from './program.ts';
import { type FaultProxy, startFaultProxy } from './proxy.ts';
import { POISON, type Scenario } from './scenario.ts';
import { type Site, startSite } from './site.ts';

const STALL_MS = 2_500;
/** A sitemap hangs at most this long: a little more than the crawler's timeout. */
const HANG_MS = 22_000;

/** Everything that a scenario runs: real programs on files of their own, and a network that obeys the seed. */
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
  /** The folder of the connector: its configuration, key and ledger. */
  readonly folder: string;
  readonly settings: CourierSettings;
  /**
   * Kills every worker, does the work, writes the configuration that it asks for, and starts the workers again. The
   * harness has no connection to the ledger meanwhile, so that its file may be replaced.
   */
  reconfigure(work: () => Promise<Partial<CourierSettings>>): Promise<void>;
  close(): Promise<void>;
}

/** `shared`: a Temporal namespace that another harness uses too. */
export async function openHarness(
  plan: Scenario,
  temporal: KillableTemporal,
  folder: string,
  shared?: string,
): Promise<Harness> {
  mkdirSync(folder, { recursive: true });
  const path = (name: string) => join(folder, name);
  const closing: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const step of closing.reverse().splice(0)) await step();
  };
  try {
    const ownNamespace = `chaos-${plan.seed}-${Date.now().toString(36)}`;
    // Two services must not take each other's tasks: each has a namespace of its own.
    const serviceNamespace = shared === undefined ? ownNamespace : `${ownNamespace}-service`;
    await temporal.client(serviceNamespace);
    let settings: CourierSettings = {
      watches: new Map([...plan.watches.keys()].map((name) => [name, name])),
      perDay: null,
      pricePerUrl: '0.25 TRY',
      namespace: shared ?? ownNamespace,
    };
    let client = await temporal.client(settings.namespace);
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

    const serviceDb = `sqlite:${path('service.db')}`;
    const operator = await openAccountAdmin(serviceDb, path('api-key'), getInitialBalance(plan));
    const port = await freePort();
    writeFileSync(
      path('service.yaml'),
      stringify(
        toServiceConfig(
          { serviceDb, port, jobMs: plan.jobMs },
          { address: temporal.address, namespace: serviceNamespace },
        ),
      ),
    );
    const service = await keepProgram(
      'service/cli/main',
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

    const configFile = path('courier.yaml');
    const surroundings = {
      baseUrl: `http://127.0.0.1:${proxy.port}/api/v1`,
      sitePort: site.port,
      keyFile: path('api-key'),
      temporalAddress: temporal.address,
    };
    const writeConfig = () => writeFileSync(configFile, stringify(toCourierConfig(settings, surroundings)));
    writeConfig();
    const startWorker = async () => {
      const started = await keepProgram(
        'src/cli/main',
        ['worker', '--config', configFile, '--json', '--quiet'],
        'ready',
      );
      closing.push(() => started.stop());
      return started;
    };
    const workers: Program[] = [];
    for (let n = 0; n < plan.workers; n++) workers.push(await startWorker());
    let config = loadConfig(configFile);
    const opened = await openLedger(config.ledgerUrl);
    await opened.close();
    let ledger = openDatabase(config.ledgerUrl);
    closing.push(() => ledger.close());
    const open = openDatabase(serviceDb);
    closing.push(() => open.close());

    const reconfigure = (work: () => Promise<Partial<CourierSettings>>) =>
      crashAll(workers, async () => {
        await ledger.close();
        try {
          settings = { ...settings, ...(await work()) };
          writeConfig();
          config = loadConfig(configFile);
          client = await temporal.client(settings.namespace);
        } finally {
          ledger = openDatabase(config.ledgerUrl);
        }
      });

    return {
      get config() {
        return config;
      },
      get client() {
        return client;
      },
      get ledger() {
        return ledger;
      },
      get settings() {
        return settings;
      },
      site,
      proxy,
      worker: workers[0]!,
      service,
      admin: operator,
      ledgerId: opened.id,
      serviceDb: open,
      folder,
      reconfigure,
      refuseKey(refuse) {
        keyRefused = refuse;
      },
      disableFaults() {
        share = 0;
        siteShare = 0;
      },
      disableCheckFaults() {
        checkShare = 0;
      },
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

/** Kills programs, does the work when all of them are gone, and starts them again. */
async function crashAll(programs: readonly Program[], work: () => Promise<void>): Promise<void> {
  const gone = programs.map(() => Promise.withResolvers<void>());
  const done = Promise.withResolvers<void>();
  const restarted = Promise.all(
    programs.map((program, n) =>
      program.crashDuring(() => {
        gone[n]!.resolve();
        return done.promise;
      }),
    ),
  );
  // Awaited below, unless the work fails first.
  restarted.catch(() => undefined);
  await Promise.all(gone.map(({ promise }) => promise));
  try {
    await work();
  } finally {
    done.resolve();
  }
  await restarted;
}
