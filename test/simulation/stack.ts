import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { stringify } from 'yaml';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { type Ledger, openLedger } from '../../src/ledger/open-ledger.ts';
import { startDevServer } from '../../src/temporal/dev-server.ts';
import { ensureSearchAttributes } from '../../src/temporal/ensure-search-attributes.ts';
import { freePort } from '../../src/temporal/free-port.ts';
import { findTemporalBinary } from '../../src/temporal/server-binary.ts';
import { openAccount } from '../chaos/account-admin.ts';
import { keepProgram } from '../chaos/program.ts';
import { startFaultProxy } from '../chaos/proxy.ts';
import { HOST, type Site, startSite } from '../chaos/site.ts';
import type { ServerSide } from './server-side.ts';

export interface StackOptions {
  readonly workers: number;
  readonly service: 'fast' | 'standard';
  /** What stands for a minute, in milliseconds: every length of both sides follows. */
  readonly minuteMs: number;
  /** How long the service works on a job, in such minutes. */
  readonly jobMinutes: number;
}

/** The real programs, a strict service and a day that is shorter than a day. */
export interface Stack {
  readonly config: Config;
  readonly client: Client;
  readonly ledger: Ledger;
  readonly site: Site;
  readonly server: ServerSide;
  close(): Promise<void>;
}

/** Polls of the defaults, in minutes. */
const POLLS = {
  fast: { first: 5, min: 10 / 60, max: 5, timeout: 1_440 },
  standard: { first: 180, min: 10, max: 60, timeout: 11_520 },
};

/** Has a program stopped when everything is. */
type Keep = <T extends { stop(): Promise<void> }>(each: T) => T;

export async function openStack({ workers, service, minuteMs, jobMinutes }: StackOptions): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'courier-simulation-'));
  const path = (name: string) => join(folder, name);
  const closing: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const keep: Keep = (each) => {
    closing.push(() => each.stop());
    return each;
  };
  const temporal = keep(await startDevServer({ binary: await findTemporalBinary(() => undefined), headless: true }));
  const connection = await Connection.connect({ address: temporal.address });
  closing.push(() => connection.close());
  await ensureSearchAttributes(connection, 'default');
  const site = await startSite();
  closing.push(() => site.close());

  const jobMs = Math.round(jobMinutes * minuteMs);
  const { server, key } = await startService({ folder, minuteMs, jobMs, temporal: temporal.address, keep });
  closing.push(() => server.close());
  writeFileSync(path('api-key'), key, { mode: 0o600 });

  const ms = (minutes: number) => `${Math.round(minutes * minuteMs)}ms`;
  const { first, min, max, timeout } = POLLS[service];
  const polls = { first: ms(first), min: ms(min), max: ms(max), growth: 1.5, timeout: ms(timeout) };
  writeFileSync(
    path('courier.yaml'),
    stringify({
      version: 1,
      accounts: {
        main: {
          base_url: `http://127.0.0.1:${server.port}/api/v1`,
          api_key: { file: path('api-key') },
          price_per_url: '0.25 TRY',
          limits: { minute_length: `${minuteMs}ms` },
          tracking: { [service]: polls },
        },
      },
      watches: {
        shop: {
          account: 'main',
          service,
          first_run: 'submit',
          sitemaps: [`http://127.0.0.1:${site.port}/shop.xml`],
          hosts: [HOST],
          allow_private_hosts: ['127.0.0.1'],
        },
      },
      temporal: { address: temporal.address },
      ledger: { url: 'sqlite:ledger.db' },
    }),
  );
  const config = loadConfig(path('courier.yaml'));
  const ledger = await openLedger(config.ledgerUrl);
  closing.push(() => ledger.close());
  for (let n = 0; n < workers; n++) {
    const worker = ['worker', '--config', path('courier.yaml'), '--json', '--quiet'];
    keep(await keepProgram('src/cli/main', worker, 'ready'));
  }
  return {
    config,
    client: new Client({ connection }),
    ledger,
    site,
    server,
    async close() {
      for (const step of closing.reverse().splice(0)) await step();
    },
  };
}

interface ServiceOptions {
  readonly folder: string;
  readonly minuteMs: number;
  readonly jobMs: number;
  readonly temporal: string;
  readonly keep: Keep;
}

/** The service itself, behind a proxy that only counts. */
async function startService({ folder, minuteMs, jobMs, temporal, keep }: ServiceOptions): Promise<Started> {
  const database = `sqlite:${join(folder, 'service.db')}`;
  const port = await freePort();
  const key = await openAccount(database);
  const window = (limit: number, minutes: number) => ({ limit, window_ms: minutes * minuteMs });
  const config = {
    database,
    port,
    budgets: {
      minute: window(120, 1),
      hour: window(3_000, 60),
      day: window(30_000, 1_440),
      submissions: window(10, 1),
    },
    processing: { simulated: { fast_ms: jobMs, standard_ms: jobMs } },
    temporal: { address: temporal },
  };
  writeFileSync(join(folder, 'service.yaml'), stringify(config));
  const args = ['serve', '--config', join(folder, 'service.yaml'), '--log-level', 'silent', '--json'];
  keep(await keepProgram('service/cli/main', args, 'listening'));
  const server = await startFaultProxy({
    target: () => ({ host: '127.0.0.1', port }),
    random: () => 1,
    share: () => 0,
    stallMs: 0,
    refuses: () => null,
  });
  return { server, key };
}

interface Started {
  readonly server: ServerSide;
  readonly key: string;
}
