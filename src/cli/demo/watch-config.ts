import { stringify } from 'yaml';
import { DEMO_HOST } from './site.ts';
import type { NamedSource } from './sources.ts';

export interface DemoConfigInput {
  readonly baseUrl: string;
  readonly temporalAddress: string;
  readonly keyFile: string;
  readonly ledgerFile: string;
  /** The demo site's sitemap; null when the user named sitemaps of their own. */
  readonly demoSitemap: string | null;
  readonly sources: readonly NamedSource[];
}

export const DEMO_ACCOUNT = 'sandbox';
export const DEMO_WATCH = 'demo-shop';

/** The configuration that the demo's worker reads: an ordinary file, to read and to copy from. */
export function demoConfig(input: DemoConfigInput): string {
  const polls = { first: '2s', min: '1s', max: '10s', growth: 1.2, timeout: '1h' };
  const common = {
    account: DEMO_ACCOUNT,
    service: 'fast',
    first_run: 'submit',
    retry_failed: { times: 0 },
    // Play money: one URL in ten is checked as soon as its job has ended.
    index_check: { after: '0s', every: '365d', stop_when_found: true, sample: '10%' },
  };
  const demo =
    input.demoSitemap === null
      ? {}
      : {
          [DEMO_WATCH]: {
            ...common,
            project: 'Demo shop',
            sitemaps: [input.demoSitemap],
            hosts: [DEMO_HOST],
            allow_private_hosts: ['127.0.0.1'],
          },
        };
  const named = input.sources.map(({ watch, source, host }) => [
    watch,
    {
      ...common,
      project: `Demo of ${watch}`,
      sitemaps: [source],
      hosts: ['*'],
      ...(host === null ? {} : { allow_private_hosts: [host] }),
    },
  ]);
  const config = {
    version: 1,
    accounts: {
      [DEMO_ACCOUNT]: {
        base_url: input.baseUrl,
        api_key: { file: input.keyFile },
        price_per_url: '0.25 TRY',
        tracking: { fast: polls, standard: polls },
      },
    },
    watches: { ...demo, ...Object.fromEntries(named) },
    temporal: { address: input.temporalAddress },
    ledger: { url: `sqlite:${input.ledgerFile}` },
  };
  return `# Made by the demo: the sandbox's account and the watches of the demo.\n${stringify(config)}`;
}
