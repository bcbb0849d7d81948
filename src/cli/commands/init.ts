import { existsSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import { formatTry, type Micros } from '../../../contract/money.ts';
import { ask, createAmountParser } from '../../cli-kit/arguments.ts';
import { EXIT, UsageError } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { readConfig } from '../../config/load.ts';
import type { SecretReference } from '../../config/schema.ts';
import { renderStarterConfig, type StarterConfig, type StarterWatch } from '../../config/starter-config.ts';
import { isTimeZone } from '../../config/time-zone.ts';
import { VERSION } from '../../observability/version.ts';
import { SitemapError } from '../../sitemap/crawl.ts';
import { type SiteSurvey, surveySite } from '../../sitemap/survey-site.ts';
import { action, type Ending, type GlobalFlags } from '../output/command.ts';
import { formatCount, formatCounted } from '../output/format.ts';
import { sayOften } from '../output/progress.ts';
import { toSiteRecord } from '../output/records/config.ts';
import { SeenPages } from '../seen-pages.ts';
import { toStarterWatch } from '../starter-watch.ts';

interface Flags {
  readonly baseUrl?: string;
  readonly keyEnv?: string;
  readonly keyFile?: string;
  readonly price?: Micros;
  readonly timezone?: string;
  readonly allowPrivateHosts?: boolean;
}

export function initCommand(command: Command): void {
  command
    .argument('<site...>', 'host or address of a site, or the address of its sitemap')
    .option('--base-url <url>', 'address of the service, such as https://indexing.example/api/v1', parseBaseUrl)
    .option('--key-env <name>', 'variable that holds the API key (default: COURIER_API_KEY)')
    .option('--key-file <path>', 'file that holds the API key')
    .option(
      '--price <amount>',
      'price of a URL, such as "0.25 TRY"',
      createAmountParser((price) => price > 0, '0.25TRY'),
    )
    .option('--timezone <name>', 'time zone of the schedule (default: that of this machine)', parseTimeZone)
    .option('--allow-private-hosts', 'allow loopback, private and link-local addresses')
    .action(action((output, globals, sites: string[], flags: Flags) => init(output, globals, sites, flags)));
}

async function init(
  output: Output,
  { config: file }: GlobalFlags,
  sites: readonly string[],
  flags: Flags,
): Promise<Ending> {
  if (flags.keyEnv !== undefined && flags.keyFile !== undefined)
    throw new UsageError('Name the key with --key-env or with --key-file, not with both.');
  checkVariable(flags.keyEnv);
  if (existsSync(file)) throw new UsageError(`${file} exists and is not overwritten. Name another file with --config.`);
  const baseUrl = flags.baseUrl ?? (await askForBaseUrl(output));
  const watches: StarterWatch[] = [];
  let isPartial = false;
  for (const site of sites) {
    const survey = await surveyWithProgress(output, site, flags);
    const taken = new Set(watches.map(({ id }) => id));
    const watch = toStarterWatch(survey, { taken, allowPrivateHosts: flags.allowPrivateHosts ?? false });
    if (watch !== null) watches.push(watch);
    isPartial ||= watch === null || !survey.complete;
    report(output, survey, watch);
  }
  const summary = { watches: watches.length, sites_without_sitemap: sites.length - watches.length };
  if (watches.length === 0) {
    output.warn('No configuration was written. Name the address of a sitemap in place of the host.');
    return { exitCode: EXIT.partial, summary: { file: null, ...summary } };
  }
  write(file, renderStarterConfig(toStarterConfig(file, baseUrl, watches, flags)));
  output.print(`${file} is written: ${formatCounted(watches.length, 'watch', 'watches')}. The first run buys nothing.`);
  const place =
    flags.keyFile === undefined ? `the variable ${flags.keyEnv ?? 'COURIER_API_KEY'}` : `the file ${flags.keyFile}`;
  output.print(
    `Next: put the API key into ${place}, then run "courier validate", "courier doctor" and "courier plan".`,
  );
  return { exitCode: isPartial ? EXIT.partial : EXIT.done, summary: { file, ...summary } };
}

async function askForBaseUrl(output: Output): Promise<string> {
  if (!process.stdin.isTTY || output.json || output.quiet) {
    const advice = 'Name the service with --base-url, such as https://indexing.example/api/v1.';
    throw new UsageError(`${advice} Nothing was read or written.`);
  }
  try {
    return parseBaseUrl(await ask('Address of the service (it ends with /api/v1): '));
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new UsageError(`${error.message} Nothing was read or written.`);
  }
}

async function surveyWithProgress(output: Output, site: string, { allowPrivateHosts }: Flags): Promise<SiteSurvey> {
  output.say(`${site}: finding sitemaps …`);
  try {
    return await surveySite(
      site,
      { userAgent: `sitemap-courier/${VERSION}`, allowPrivateHosts: allowPrivateHosts ?? false },
      () => new SeenPages(),
      sayOften(output, (urls) => `${site}: ${formatCounted(urls, 'page')} so far`),
    );
  } catch (error) {
    if (!(error instanceof SitemapError)) throw error;
    throw new UsageError(`${site}: ${error.message}. Nothing was written.`, { cause: error });
  }
}

function report(output: Output, survey: SiteSurvey, watch: StarterWatch | null): void {
  output.record(toSiteRecord({ ...survey, proposed: watch }));
  const { site, urls, withLastmod, complete, problems } = survey;
  if (watch === null) {
    output.warn(`${site}: no sitemap was found. Tried:`);
    warnOf(output, problems);
    return;
  }
  const others = [...watch.otherHosts.values()].reduce((sum, each) => sum + each, 0);
  output.print(
    `${site}: ${formatCounted(urls, 'page')} in ${watch.source.url}, ${formatCount(withLastmod)} with a lastmod; ` +
      `watch "${watch.id}" covers those of ${watch.hosts.join(', ')}` +
      (others === 0
        ? '.'
        : `; ${formatCounted(others, 'page')} of other hosts ${others === 1 ? 'is' : 'are'} not bought.`),
  );
  if (complete) return;
  output.warn(`${site}: not everything could be read, so there are more pages than counted:`);
  warnOf(output, problems);
}

/** Prints a message that several addresses share once. */
function warnOf(output: Output, problems: SiteSurvey['problems']): void {
  for (const [message, same] of Map.groupBy(problems, (problem) => problem.message)) {
    const [first, ...others] = same;
    output.warn(`  ${first?.url}: ${message}`);
    if (others.length > 0) output.warn(`  the same for ${others.map(({ url }) => url).join(', ')}`);
  }
}

function toStarterConfig(file: string, baseUrl: string, watches: readonly StarterWatch[], flags: Flags): StarterConfig {
  const apiKey: SecretReference =
    flags.keyFile === undefined ? { env: flags.keyEnv ?? 'COURIER_API_KEY' } : { file: flags.keyFile };
  return {
    account: { baseUrl, apiKey, price: flags.price === undefined ? null : formatTry(flags.price) },
    watches,
    timezone: flags.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    schema: findInPackage(file, 'config/courier.schema.json'),
    reference: findInPackage(file, 'docs/reference/configuration.md'),
  };
}

const PACKAGE = new URL(import.meta.url.endsWith('.ts') ? '../../../' : '../../../../', import.meta.url);

/** A file of this package, from where the configuration lies, as editors resolve it. */
function findInPackage(file: string, name: string): string {
  const path = relative(dirname(resolve(file)), fileURLToPath(new URL(name, PACKAGE)));
  return path.startsWith('.') ? path : `./${path}`;
}

/** Checks what is about to be written, then writes it; a file that appeared meanwhile is kept. */
function write(file: string, text: string): void {
  readConfig(text, file);
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it exists' : message;
    throw new UsageError(`${file} was not written: ${why}. Name another file with --config.`);
  }
}

function parseBaseUrl(text: string): string {
  const trimmed = text.trim();
  if (/^https?:\/\//.test(trimmed) && URL.canParse(trimmed)) return trimmed;
  throw new InvalidArgumentError('Write an address such as https://indexing.example/api/v1.');
}

/** The name is not repeated in the message, as commander does it: it may be the key itself. */
function checkVariable(name: string | undefined): void {
  if (name === undefined || /^[A-Z_][A-Z0-9_]{0,99}$/.test(name)) return;
  const advice = '--key-env takes the name of a variable, such as COURIER_API_KEY, never the key itself.';
  throw new UsageError(`${advice} Nothing was read or written.`);
}

function parseTimeZone(name: string): string {
  if (isTimeZone(name)) return name;
  throw new InvalidArgumentError('Write an IANA time zone such as Europe/Istanbul.');
}
