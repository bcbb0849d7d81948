import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { stringify } from 'yaml';
import { micros, parseTry } from '../../../contract/money.ts';
import { openAdministration } from '../../../service/serve.ts';
import type { Config } from '../../../src/config/config.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { Database } from '../../../src/database/database.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { raw } from '../../../src/database/sql.ts';
import { type Ledger, openLedger } from '../../../src/ledger/open-ledger.ts';
import { stopProcess } from '../../../src/temporal/dev-server.ts';
import { freePort } from '../../../src/temporal/free-port.ts';
import { type KillableTemporal, startKillableTemporal } from '../../chaos/killable-temporal.ts';
import type { ScriptCleanup } from '../../support/cleanup.ts';
import { findPostgresPrograms, type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { PRICE_TRY, toCourierConfig, toServiceConfig } from './configuration.ts';
import { Fleet } from './fleet.ts';
import { Meter } from './meter.ts';
import type { ClusterOptions } from './options.ts';
import { spreadPages, toWatchName } from './pages.ts';
import { ROOT, startProcess } from './process.ts';
import type { Published } from './site-process.ts';
import { WorkerLog } from './worker-log.ts';

/** All programs of a cluster but its workers, which `fleet` starts. */
export interface Stack {
  readonly folder: string;
  readonly configFile: string;
  readonly config: Config;
  readonly temporal: KillableTemporal;
  /** Of the connector's namespace, and of the service's. */
  readonly client: Client;
  readonly serviceClient: Client;
  /** Null where nothing is on Postgres. */
  readonly postgres: PostgresServer | null;
  /** Null where no fault is wanted. */
  readonly standby: PostgresServer | null;
  readonly ledger: Ledger;
  readonly service: Database;
  readonly serviceUrl: string;
  readonly fleet: Fleet;
  readonly meter: Meter;
  readonly log: WorkerLog;
  /** How many pages the sitemaps of each watch list now. */
  readonly pages: ReadonlyMap<string, number>;
  publish(more: readonly Published[]): Promise<void>;
  /** Bytes of the ledger's database and of the Temporal server's file. */
  readSizes(): Promise<{ readonly ledger: number; readonly temporal: number }>;
}

const AMPLE_BALANCE = micros(1_000_000_000_000);
/** What a server of some GB is given in place of Postgres' defaults for a tiny one. */
const POSTGRES_SETTINGS = { shared_buffers: '512MB', max_wal_size: '4GB' };

/** `siteMs`: how long the sites take to send a file. */
export async function openStack(
  t: ScriptCleanup,
  { siteMs = 0, ...options }: ClusterOptions & { readonly siteMs?: number },
): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'courier-cluster-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const path = (name: string) => join(folder, name);
  const meter = new Meter();
  t.after(() => meter.close());

  const { postgres, standby } = await openPostgres(t, options);
  for (const server of [postgres, standby])
    if (server !== null) meter.add('postgres', server.url, () => server.pid, true);
  const databaseUrl = (name: 'ledger' | 'service') =>
    options[name] === 'sqlite' ? `sqlite:${path(`${name}.db`)}` : toDatabase(postgres!, standby, name);

  const temporal = await startKillableTemporal(folder);
  t.after(() => temporal.stop());
  meter.add('temporal', 'temporal', () => temporal.pid);
  const [client, serviceClient] = [await temporal.client('courier'), await temporal.client('service')];

  const site = await startProcess({
    file: join(ROOT, 'test/load/cluster/site-process.ts'),
    args: [String(siteMs)],
    ready: 'listening',
  });
  t.after(() => stopProcess(site.child));
  meter.add('site', 'site', () => site.child.pid ?? 0);
  const pages = new Map<string, number>();
  async function publish(more: readonly Published[]): Promise<void> {
    for (const { watch, pages: count } of more) pages.set(watch, count);
    const taken = new Promise((resolve) => site.child.once('message', resolve));
    site.child.send([...more]);
    await taken;
  }
  const names = Array.from({ length: options.watches }, (_, index) => toWatchName(index));
  const sizes = spreadPages(options.urls, options.watches);
  await publish(names.map((watch, index) => ({ watch, pages: sizes[index]! })));

  const serviceUrl = databaseUrl('service');
  const accounts = Array.from({ length: options.accounts }, (_, index) => `account-${index + 1}`);
  const keys = await createAccounts(serviceUrl, accounts, folder);
  const port = await freePort();
  const { jobMs, submissionsPerMinute } = options;
  const shared = { submissionsPerMinute, temporalAddress: temporal.address };
  writeFileSync(path('service.yaml'), stringify(toServiceConfig({ database: serviceUrl, port, jobMs, ...shared })));
  const service = await startProcess({
    file: join(ROOT, 'service/cli/main.ts'),
    args: ['serve', '--config', path('service.yaml'), '--log-level', 'fatal', '--json'],
    ready: 'listening',
  });
  t.after(() => stopProcess(service.child, 30_000));
  meter.add('service', 'service', () => service.child.pid ?? 0);

  const configFile = path('courier.yaml');
  const watches = new Map(names.map((name, index) => [name, accounts[index % accounts.length]!]));
  const setup = { ledgerUrl: databaseUrl('ledger'), servicePort: port, sitePort: Number(site.record.port), ...shared };
  writeFileSync(configFile, stringify(toCourierConfig({ ...setup, keys, watches })));
  const config = loadConfig(configFile);
  const ledger = await openLedger(config.ledgerUrl);
  t.after(() => ledger.close());
  const serviceDb = openDatabase(serviceUrl);
  t.after(() => serviceDb.close());

  const log = new WorkerLog();
  const { duty, deploy: versioned, workerCores } = options;
  const fleet = new Fleet({ configFile, duty, versioned, workerCores, meter, log });
  t.after(() => fleet.close());
  return {
    ...{ folder, configFile, config, temporal, client, serviceClient, postgres, standby, ledger, serviceUrl },
    ...{ service: serviceDb, fleet, meter, log, pages, publish },
    async readSizes() {
      return {
        ledger: await readLedgerSize(ledger.db, path('ledger.db')),
        temporal: readFileSize(path('temporal.db')),
      };
    },
  };
}

interface Postgres {
  readonly postgres: PostgresServer | null;
  readonly standby: PostgresServer | null;
}

async function openPostgres(t: ScriptCleanup, { ledger, service, faults }: ClusterOptions): Promise<Postgres> {
  if (ledger === 'sqlite' && service === 'sqlite') return { postgres: null, standby: null };
  const programs = findPostgresPrograms();
  if (programs === null) throw new Error('Postgres is not installed: use --ledger sqlite');
  const settings = { durable: true, settings: POSTGRES_SETTINGS };
  const postgres = await startPostgres(programs, settings);
  t.after(() => postgres.stop());
  const db = openDatabase(postgres.url);
  try {
    for (const name of ['ledger', 'service']) await db.run(raw(`CREATE DATABASE ${name}`));
  } finally {
    await db.close();
  }
  const standby = faults ? await startPostgres(programs, { ...settings, standbyOf: postgres }) : null;
  if (standby !== null) t.after(() => standby.stop());
  return { postgres, standby };
}

function toDatabase({ url }: PostgresServer, standby: PostgresServer | null, name: string): string {
  const { href, host } = Object.assign(new URL(url), { pathname: `/${name}` });
  return standby === null ? href : href.replace(host, `${host},${new URL(standby.url).host}`);
}

/** Makes the accounts at the service. Returns the files that hold their keys. */
async function createAccounts(serviceUrl: string, names: readonly string[], folder: string) {
  const price = parseTry(PRICE_TRY);
  if (price === null) throw new Error(`${PRICE_TRY} is not an amount`);
  const { accounts, close } = await openAdministration(serviceUrl);
  const files = new Map<string, string>();
  try {
    for (const name of names) {
      const { id } = await accounts.createAccount({ name, balance: AMPLE_BALANCE, price });
      const file = join(folder, `${name}.key`);
      writeFileSync(file, (await accounts.createKey({ account: id, name })).apiKey, { mode: 0o600 });
      files.set(name, file);
    }
  } finally {
    await close();
  }
  return files;
}

async function readLedgerSize(db: Database, file: string): Promise<number> {
  if (existsSync(file)) return readFileSize(file);
  const row = await db.one<{ bytes: number }>(
    raw('SELECT pg_database_size(current_database()) AS bytes') as Parameters<typeof db.one<{ bytes: number }>>[0],
  );
  return row.bytes;
}

const readFileSize = (file: string): number =>
  [file, `${file}-wal`].reduce((sum, each) => sum + (existsSync(each) ? statSync(each).size : 0), 0);
