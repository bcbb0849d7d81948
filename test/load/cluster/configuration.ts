import { toHost } from './pages.ts';

/** Requests a window on both sides where no limit is to be met. */
const AMPLE = 1_000_000;
export const PRICE_TRY = '0.01';

export interface ServiceSetup {
  readonly database: string;
  readonly port: number;
  readonly jobMs: number;
  readonly submissionsPerMinute: number;
  readonly temporalAddress: string;
}

/** The service's configuration file. Its work is in a Temporal namespace of its own. */
export const toServiceConfig = ({ database, port, jobMs, submissionsPerMinute, temporalAddress }: ServiceSetup) => ({
  database,
  port,
  budgets: {
    minute: { limit: AMPLE, window_ms: 60_000 },
    hour: { limit: AMPLE, window_ms: 3_600_000 },
    day: { limit: AMPLE, window_ms: 86_400_000 },
    submissions: { limit: submissionsPerMinute, window_ms: 60_000 },
  },
  processing: { simulated: { fast_ms: jobMs, standard_ms: jobMs } },
  temporal: { address: temporalAddress, namespace: 'service' },
});

export interface CourierSetup {
  readonly ledgerUrl: string;
  readonly servicePort: number;
  readonly sitePort: number;
  readonly temporalAddress: string;
  readonly submissionsPerMinute: number;
  /** The file that holds the key of each account. */
  readonly keys: ReadonlyMap<string, string>;
  /** The account of each watch. */
  readonly watches: ReadonlyMap<string, string>;
}

/** The connector's configuration file: the defaults of the program, with waits of seconds in place of minutes. */
export function toCourierConfig(setup: CourierSetup): object {
  const polls = { first: '5s', min: '2s', max: '10s', growth: 1.5, timeout: '1h' };
  const account = (keyFile: string) => ({
    base_url: `http://127.0.0.1:${setup.servicePort}/api/v1`,
    api_key: { file: keyFile },
    price_per_url: `${PRICE_TRY} TRY`,
    limits: {
      requests: { minute: AMPLE, hour: AMPLE, day: AMPLE },
      submissions: { minute: setup.submissionsPerMinute },
    },
    reconcile: { confirm_after: '5s' },
    tracking: { fast: polls },
  });
  const watch = (name: string, payer: string) => ({
    account: payer,
    service: 'fast',
    first_run: 'submit',
    sitemaps: [`http://127.0.0.1:${setup.sitePort}/${name}.xml.gz`],
    hosts: [toHost(name)],
    allow_private_hosts: ['127.0.0.1'],
  });
  return {
    version: 1,
    accounts: Object.fromEntries([...setup.keys].map(([name, file]) => [name, account(file)])),
    watches: Object.fromEntries([...setup.watches].map(([name, payer]) => [name, watch(name, payer)])),
    temporal: { address: setup.temporalAddress, namespace: 'courier' },
    ledger: { url: setup.ledgerUrl },
  };
}
