import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { stringify } from 'yaml';
import { micros } from '../../contract/money.ts';
import { openAdministration } from '../../service/serve.ts';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { freePort } from '../../src/temporal/free-port.ts';
import { POISON, type SchedulePlan } from './plan.ts';
import { keepProgram, type Program } from './program.ts';
import { type FaultProxy, startFaultProxy } from './proxy.ts';
import { seeded } from './seeded.ts';
import { HOST, type Site, startSite } from './site.ts';
import type { FaultyTemporal } from './temporal.ts';

export const PRICE = micros(250_000);
const BALANCE = micros(100_000_000_000);
/** Requests a window on both sides: budgets have tests of their own. */
const AMPLE = 1_000_000;
const STALL_MS = 2_500;

/** Everything that a schedule runs: real programs on files of their own, and a network that obeys the seed. */
export interface World {
  readonly config: Config;
  readonly client: Client;
  readonly site: Site;
  readonly proxy: FaultProxy;
  readonly worker: Program;
  readonly service: Program;
  readonly ledger: Database;
  readonly books: Database;
  /** From now on the network is as good as it gets. */
  calm(): void;
  close(): Promise<void>;
}

export async function openWorld(plan: SchedulePlan, temporal: FaultyTemporal, folder: string): Promise<World> {
  mkdirSync(folder, { recursive: true });
  const path = (name: string) => join(folder, name);
  const closing: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const step of closing.reverse().splice(0)) await step();
  };
  try {
    const namespace = `faults-${plan.seed}-${Date.now().toString(36)}`;
    const client = await temporal.client(namespace);
    const site = await startSite();
    closing.push(() => site.close());
    for (const [watch, { first }] of plan.watches) site.publish(watch, first);

    const books = `sqlite:${path('service.db')}`;
    writeFileSync(path('api-key'), await openAccount(books), { mode: 0o600 });
    const port = await freePort();
    writeFileSync(path('service.yaml'), stringify(serviceConfig(books, port, temporal.address, namespace)));
    const service = await keepProgram(
      'service/cli/main.ts',
      ['serve', '--config', path('service.yaml'), '--log-level', 'silent', '--json'],
      'listening',
    );
    closing.push(() => service.stop());

    let share = plan.faultShare;
    const proxy = await startFaultProxy({
      target: () => ({ host: '127.0.0.1', port }),
      random: seeded(plan.seed ^ 0x5eed),
      share: () => share,
      stallMs: STALL_MS,
      refuses: (body) => refusalOf(body, plan.tooLarge),
    });
    closing.push(() => proxy.close());

    const baseUrl = `http://127.0.0.1:${proxy.port}/api/v1`;
    const configFile = path('courier.yaml');
    writeFileSync(
      configFile,
      stringify(
        courierConfig(
          plan,
          { baseUrl, sitePort: site.port, keyFile: path('api-key') },
          { address: temporal.address, namespace },
        ),
      ),
    );
    const worker = await keepProgram(
      'src/cli/main.ts',
      ['worker', '--config', configFile, '--json', '--quiet'],
      'ready',
    );
    closing.push(() => worker.stop());
    const config = loadConfig(configFile);
    const ledger = openDatabase(config.ledgerUrl);
    closing.push(() => ledger.close());
    const open = openDatabase(books);
    closing.push(() => open.close());
    const calm = () => {
      share = 0;
    };
    return { config, client, site, proxy, worker, service, ledger, books: open, calm, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function refusalOf(body: string, tooLarge: number | null): 422 | 413 | null {
  const { urls } = JSON.parse(body) as { urls: string[] };
  if (tooLarge !== null && urls.length > tooLarge) return 413;
  return urls.some((url) => url.includes(POISON)) ? 422 : null;
}

/** Makes the account and returns its key. */
export async function openAccount(books: string): Promise<string> {
  const { accounts, close } = await openAdministration(books);
  try {
    const { id } = await accounts.createAccount({ name: 'faults', balance: BALANCE, price: PRICE });
    return (await accounts.createKey({ account: id, name: 'faults' })).apiKey;
  } finally {
    await close();
  }
}

function serviceConfig(database: string, port: number, address: string, namespace: string) {
  const ample = (window_ms: number) => ({ limit: AMPLE, window_ms });
  return {
    database,
    port,
    budgets: {
      minute: ample(60_000),
      hour: ample(3_600_000),
      day: ample(86_400_000),
      submissions: ample(60_000),
    },
    processing: { simulated: { fast_ms: 600, standard_ms: 600 }, sweep_ms: 500 },
    temporal: { address, namespace },
  };
}

function courierConfig(
  plan: SchedulePlan,
  { baseUrl, sitePort, keyFile }: { baseUrl: string; sitePort: number; keyFile: string },
  temporal: { address: string; namespace: string },
): object {
  const looks = { first: '600ms', min: '300ms', max: '1500ms', growth: 1.2, patience: '1h' };
  const watch = (name: string) => ({
    account: 'main',
    project: `Faults ${name}`,
    service: 'fast',
    first_run: 'submit',
    sitemaps: [`http://127.0.0.1:${sitePort}/${name}.xml`],
    hosts: [HOST],
    allow_private_hosts: ['127.0.0.1'],
    retry_failed: { times: 1, after: '1ms' },
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
        timeouts: { connect: '1s', answer: '2s', total: '3s' },
        tracking: { fast: looks, standard: looks },
      },
    },
    watches: Object.fromEntries([...plan.watches.keys()].map((name) => [name, watch(name)])),
    temporal,
    ledger: { url: 'sqlite:ledger.db' },
  };
}
