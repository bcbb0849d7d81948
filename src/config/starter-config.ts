import { isScalar, parseDocument } from 'yaml';
import type { SecretReference } from './schema.ts';

/** One watch of a first configuration, from a survey of its site. */
export interface StarterWatch {
  readonly id: string;
  readonly source: { readonly kind: 'robots' | 'sitemap'; readonly url: string };
  /** The hosts whose URLs are bought. */
  readonly hosts: readonly string[];
  /** Other hosts that the sitemaps name, with their URLs. */
  readonly otherHosts: ReadonlyMap<string, number>;
  readonly urls: number;
  readonly withLastmod: number;
  /** Loopback and private hosts that must be allowed by name. */
  readonly privateHosts: readonly string[];
}

export interface StarterConfig {
  readonly account: { readonly baseUrl: string; readonly apiKey: SecretReference; readonly price: string | null };
  readonly watches: readonly StarterWatch[];
  /** IANA name. */
  readonly timezone: string;
  /** Path or address of the JSON Schema, for editors. */
  readonly schema: string;
  /** Path of the page with every setting. */
  readonly reference: string;
}

const SHOWN_HOSTS = 5;

/** The text of a first `courier.yaml`: commented, valid, and made so that its first run buys nothing. */
export function renderStarterConfig({ account, watches, timezone, schema, reference }: StarterConfig): string {
  const { baseUrl, apiKey, price } = account;
  const [kind, value] = 'env' in apiKey ? (['env', apiKey.env] as const) : (['file', apiKey.file] as const);
  const what = kind === 'env' ? 'the name of a variable; never the key itself' : 'a file that only you can read';
  return `# yaml-language-server: $schema=${schema}
# "courier validate" checks this file, "courier plan" shows what a run would buy and what it would cost.
# Every setting: ${reference}
version: 1
accounts:
  main:
    base_url: ${quote(baseUrl)}
    api_key: { ${kind}: ${quote(value)} } # ${what}
    ${price === null ? '# price_per_url: 0.25 TRY # when absent, learned from the first submission' : `price_per_url: ${quote(price)}`}
    # Nothing is spent beyond these. Without them, only your balance is the limit.
    # spend: { per_day: 500 TRY, per_month: 5000 TRY, balance_floor: 100 TRY }
defaults:
  service: standard # or fast
  schedule: { cron: "30 4 * * *", timezone: ${quote(timezone)} } # when "courier worker" runs the watches
  # baseline: the first run adopts the URLs of today and buys none of them; submit buys them all.
  first_run: baseline
watches:
${watches.map((watch) => renderWatch(watch)).join('')}`;
}

function renderWatch({ id, source, hosts, otherHosts, urls, withLastmod, privateHosts }: StarterWatch): string {
  const share = urls === 0 ? 0 : Math.floor((100 * withLastmod) / urls);
  const maxNew = proposeMaxNew(urls);
  const lines = [
    `${quote(id)}: # ${formatUrls(urls)}, ${share}% with a lastmod`,
    '  account: main',
    source.kind === 'robots' ? `  robots: ${quote(source.url)}` : `  sitemaps: [${quote(source.url)}]`,
    `  hosts: [${hosts.map(quote).join(', ')}]`,
    ...renderOtherHosts(otherHosts),
    ...(privateHosts.length === 0 ? [] : [`  allow_private_hosts: [${privateHosts.map(quote).join(', ')}]`]),
    '  # A run with more new URLs, or with more URLs gone, waits for your approval.',
    `  guard: { max_new: ${maxNew}, max_gone_percent: 30 }`,
    ...(share < 50
      ? []
      : [
          '  # Buys a URL again when its lastmod changes, at most every 30 days:',
          '  # resubmit: { on_lastmod_change: true, not_within: 30d }',
        ]),
  ];
  return lines.map((line) => `  ${line}\n`).join('');
}

function renderOtherHosts(hosts: ReadonlyMap<string, number>): string[] {
  if (hosts.size === 0) return [];
  const shown = [...hosts].slice(0, SHOWN_HOSTS).map(([host, urls]) => `${host} (${formatUrls(urls)})`);
  const more = hosts.size > SHOWN_HOSTS ? [`${format(hosts.size - SHOWN_HOSTS)} more`] : [];
  return [`  # Also in the sitemaps, not bought: ${[...shown, ...more].join(', ')}`];
}

/** About a twentieth of the URLs, rounded up to a round number; at least 50, so that an ordinary day is never held. */
export function proposeMaxNew(urls: number): number {
  const wanted = Math.max(50, urls / 20);
  const unit = 10 ** Math.floor(Math.log10(wanted));
  return Math.ceil(wanted / (unit / 2)) * (unit / 2);
}

const format = (count: number): string => count.toLocaleString('en-US');
const formatUrls = (count: number): string => `${format(count)} ${count === 1 ? 'URL' : 'URLs'}`;

/** A plain YAML scalar where the text means itself in a flow collection, else a quoted one. */
function quote(text: string): string {
  const plain = /^[A-Za-z/.][\w./:@%-]*( [\w./:@%-]+)*$/.test(text) && !/: |:$/.test(text);
  const { contents } = parseDocument(text);
  return plain && isScalar(contents) && contents.value === text ? text : JSON.stringify(text);
}
