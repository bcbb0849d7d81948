import { HOST } from './site.ts';

/** Requests a window on both sides: rate limits have tests of their own. */
const AMPLE = 1_000_000;

/** The service's configuration file. */
export function toServiceConfig(
  { serviceDb, port, jobMs }: { serviceDb: string; port: number; jobMs: number },
  temporal: { address: string; namespace: string },
) {
  const ample = (window_ms: number) => ({ limit: AMPLE, window_ms });
  return {
    database: serviceDb,
    port,
    budgets: {
      minute: ample(60_000),
      hour: ample(3_600_000),
      day: ample(86_400_000),
      submissions: ample(60_000),
    },
    // The charge of a killed service's check is restored soon, instead of after a minute.
    index_check: { timeout_ms: 2_000, lease_ms: 8_000 },
    processing: { simulated: { fast_ms: jobMs, standard_ms: jobMs }, sweep_ms: 500 },
    temporal,
  };
}

/** What an operator may change of the connector's configuration while a scenario runs. */
export interface CourierSettings {
  /** The watches, and the name of the sitemap of each. */
  readonly watches: ReadonlyMap<string, string>;
  /** Cap of the account, such as "1.50 TRY"; null: none. */
  readonly perDay: string | null;
  /** Price of the account; null: learned from the service. */
  readonly pricePerUrl: string | null;
  readonly namespace: string;
}

export interface Surroundings {
  readonly baseUrl: string;
  readonly sitePort: number;
  readonly keyFile: string;
  readonly temporalAddress: string;
}

/** The connector's configuration file. */
export function toCourierConfig(
  { watches, perDay, pricePerUrl, namespace }: CourierSettings,
  { baseUrl, sitePort, keyFile, temporalAddress }: Surroundings,
): object {
  const polls = { first: '0s', min: '300ms', max: '1500ms', growth: 1.2, timeout: '1h' };
  const watch = (sitemap: string) => ({
    account: 'main',
    project: `Chaos ${sitemap}`,
    service: 'fast',
    first_run: 'submit',
    sitemaps: [`http://127.0.0.1:${sitePort}/${sitemap}.xml`],
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
        ...(pricePerUrl === null ? {} : { price_per_url: pricePerUrl }),
        ...(perDay === null ? {} : { spend: { per_day: perDay } }),
        limits: { requests: { minute: AMPLE, hour: AMPLE, day: AMPLE }, submissions: { minute: AMPLE } },
        // An absence counts once a late request would have arrived.
        reconcile: { confirm_after: '5s' },
        timeouts: { connect: '1s', answer: '2s', total: '3s' },
        tracking: { fast: polls, standard: polls },
      },
    },
    watches: Object.fromEntries([...watches].map(([name, sitemap]) => [name, watch(sitemap)])),
    temporal: { address: temporalAddress, namespace },
    ledger: { url: 'sqlite:ledger.db' },
  };
}
