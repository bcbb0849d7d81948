import { statSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { parseWholeNumber } from '../../cli-kit/arguments.ts';
import { CommandError, EXIT, UsageError } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { readSecret } from '../../config/secrets.ts';
import { VERSION } from '../../observability/version.ts';
import { type CrawlOptions, ProxySettingError, parseSource, SitemapError } from '../../sitemap/crawl.ts';
import { parseW3cDate } from '../../sitemap/lastmod.ts';
import { openStateDirectory, type StateDirectory, StateDirectoryError } from '../../sitemap/state-directory.ts';
import { getStart } from '../../url/version.ts';
import { action, type Ending } from '../output/command.ts';
import { ComparedCrawl } from '../output/compared-crawl.ts';
import { formatComparison, writeComparison } from '../output/crawl-comparison.ts';
import { CrawlReport, openProgressBar, type PageSink } from '../output/crawl-report.ts';
import { CrawlStats } from '../output/crawl-stats.ts';
import { PageTable } from '../output/page-table.ts';
import { readSources } from '../saved-crawl.ts';

/** Those of the crawl by their own names, and the others. */
interface Flags extends CrawlOptions {
  readonly delay?: number;
  readonly timeout?: number;
  readonly header?: Record<string, string>;
  readonly headerEnv?: Record<string, string>;
  readonly state?: string;
  readonly stats?: boolean;
  readonly compare?: string;
}

export function crawlCommand(command: Command): void {
  command
    .argument(
      '<source...>',
      'sitemap, index, feed, list, CSV, robots.txt or saved crawl: a URL, a path, or - for standard input',
    )
    .option('--allow-private-hosts', 'allow loopback, private and link-local addresses')
    .option('--any-host', 'follow sitemaps to hosts other than those of the sources')
    .option('--max-urls <n>', 'limit of pages', parseWholeNumber)
    .option('--max-sitemaps <n>', 'limit of sitemaps, indexes included', parseWholeNumber)
    .option('--max-depth <n>', 'limit of indexes above a sitemap', parseWholeNumber)
    .option('--max-bytes <n>', 'limit of bytes of one sitemap, decompressed', parseWholeNumber)
    .option('--concurrency <n>', 'sitemaps read at the same time', parseWholeNumber)
    .option('--delay <ms>', 'delay between two requests to one host', parseWholeNumber)
    .option('--respect-crawl-delay', 'wait as long as the Crawl-delay of each robots.txt asks, up to 30 s')
    .option('--timeout <s>', 'timeout of one sitemap, retries included', parseWholeNumber)
    .option('--retries <n>', 'retries after a failure that may pass', parseWholeNumber)
    .option('--hreflang', 'include alternates in other languages')
    .option('--header <name: value>', 'header for the hosts of the sources (repeatable)', parseHeader)
    .option('--header-env <name: variable>', 'header whose value is that of an environment variable', parseHeaderEnv)
    .option('--user-agent <text>', 'user agent instead of our own')
    .option('--contact <address>', 'your address, for our own user agent')
    .option('--state <dir>', 'keep validators in this folder, and read only what has changed')
    .option('--stats', 'print numbers in place of pages: dates, hosts, depth, duplicates, slow sitemaps')
    .option('--as-of <time>', 'judge dates as of this time, such as 2026-11-21T00:00:00Z, in place of now', parseAsOf)
    .option('--compare <old>', 'print what is new, changed and gone since OLD: a saved crawl --json, a sitemap, a list')
    .action(action((output, _globals, sources: string[], flags: Flags) => run(output, sources, flags)));
}

async function run(output: Output, sources: readonly string[], flags: Flags): Promise<Ending> {
  for (const source of sources) checkSource(source);
  for (const name of Object.keys(flags.header ?? {})) checkHeader(name);
  if (flags.compare !== undefined) checkComparison(flags.compare, flags);
  const stop = new AbortController();
  const release = onInterrupt((why) => stop.abort(why));
  let report: CrawlReport | undefined;
  try {
    const state = flags.state === undefined ? undefined : await openStateDirectory(flags.state);
    const stats = flags.stats === true ? new CrawlStats(() => flags.asOf ?? Date.now()) : undefined;
    const read = async (names: readonly string[], sink: PageSink | undefined): Promise<CrawlReport> => {
      report = new CrawlReport(output, { state, bar: await openProgressBar(output), sink });
      // Lines need no dates and no spellings: those are for records, for the numbers and for a comparison.
      const lines = !output.json && sink === undefined;
      const options = { ...toCrawlOptions(flags, state, stop.signal), lines };
      for await (const event of readSources(names, options)) await report.on(event);
      report.end();
      return report;
    };
    if (flags.compare === undefined) {
      const { complete, summary } = await read(sources, stats);
      return { exitCode: complete ? EXIT.done : EXIT.partial, summary };
    }
    const table = new PageTable();
    const asOf = flags.asOf ?? Date.now();
    const old = new ComparedCrawl(table, asOf);
    const now = new ComparedCrawl(table, asOf);
    await read([flags.compare], old);
    const { complete, summary } = await read(sources, now);
    const comparison = await writeComparison(output, table, old, now);
    output.say(formatComparison(comparison, complete));
    return { exitCode: complete && old.complete ? EXIT.done : EXIT.partial, summary: { ...summary, comparison } };
  } catch (error) {
    if (!(error instanceof Interruption) || report === undefined) throw toUsageError(error);
    report.end(error.message);
    return { exitCode: error.exitCode, summary: { ...report.summary, error: error.message } };
  } finally {
    release();
  }
}

/** Ends the crawl early, with the summary of what was read. */
class Interruption extends CommandError {}

/** Mistakes in the command line and the environment are not faults of the program. */
function toUsageError(error: unknown): unknown {
  const isUsage = error instanceof StateDirectoryError || error instanceof ProxySettingError;
  return isUsage ? new UsageError(error.message, { cause: error }) : error;
}

function checkComparison(old: string, { state, stats }: Flags): void {
  checkSource(old);
  const other = state !== undefined ? '--state' : stats === true ? '--stats' : undefined;
  if (other === undefined) return;
  throw new UsageError(`--compare reads and prints every page, so not together with ${other}. Nothing was read.`);
}

/** Throws a usage error for a source that cannot be opened. */
function checkSource(text: string): void {
  try {
    const source = parseSource(text);
    if (source.kind === 'http' || source.path === '-') return;
    const isFolder = statSync(source.path).isDirectory();
    if (isFolder) throw new UsageError(`${text} is a folder, not a file. Nothing was read.`);
  } catch (error) {
    if (error instanceof SitemapError) throw new UsageError(`${error.message}. Nothing was read.`);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const advice = HOST_AND_PATH.test(text) ? ` If you mean the address, write https://${text}` : '';
    throw new UsageError(`There is no file ${text}. Nothing was read.${advice}`);
  }
}

/** Throws a usage error for a header that holds a login: every user of a machine can read the arguments of its processes. */
function checkHeader(name: string): void {
  if (name !== 'authorization' && name !== 'proxy-authorization') return;
  const advice = `Put its value into an environment variable and write --header-env "${name}: VARIABLE"`;
  throw new UsageError(`--header shows ${name} to every user of this machine. Nothing was read. ${advice}`);
}

const HOST_AND_PATH = /^([a-z0-9-]+\.)+[a-z]{2,}(:\d+)?(\/|$)|^localhost(:\d+)?(\/|$)/i;

function toCrawlOptions(flags: Flags, state: StateDirectory | undefined, signal: AbortSignal): CrawlOptions {
  const { delay, timeout, header, headerEnv, state: _, stats: _stats, compare: _old, ...own } = flags;
  const agent = `sitemap-courier/${VERSION}`;
  return {
    ...own,
    signal,
    userAgent: own.userAgent ?? (own.contact === undefined ? agent : `${agent} (+${own.contact})`),
    ...(own.concurrency === undefined ? {} : { concurrency: Math.max(1, own.concurrency) }),
    ...(delay === undefined ? {} : { hostDelayMs: delay }),
    ...(timeout === undefined ? {} : { timeouts: { totalMs: timeout * 1_000 } }),
    headers: { ...header, ...readHeaders(headerEnv) },
    ...(state === undefined ? {} : { known: state.known }),
  };
}

/** Calls `stop` on Ctrl-C, on SIGTERM, and when stdout cannot be written. Returns a function that ends this. */
function onInterrupt(stop: (why: Interruption) => void): () => void {
  const printed = 'The pages that were printed are right, but not all of them.';
  const interrupted = () => stop(new Interruption(EXIT.interrupted, `Interrupted. ${printed}`));
  const terminated = () => stop(new Interruption(EXIT.terminated, `Terminated. ${printed}`));
  const failed = ({ code, message }: NodeJS.ErrnoException) => {
    const why = code === 'EPIPE' ? 'The reader of the output closed it.' : `The output cannot be written: ${message}.`;
    stop(new Interruption(EXIT.partial, why));
  };
  process.once('SIGINT', interrupted).once('SIGTERM', terminated);
  process.stdout.on('error', failed);
  return () => process.off('SIGINT', interrupted).off('SIGTERM', terminated);
}

function parseHeader(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [name, value] = splitHeader(text, 'Write it as "Name: value".');
  return { ...before, [name]: value };
}

function parseHeaderEnv(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [name, variable] = splitHeader(text, HEADER_ENV);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)) throw new InvalidArgumentError(HEADER_ENV);
  return { ...before, [name]: variable };
}

const HEADER_ENV = 'Write it as "Name: VARIABLE", where the environment variable holds the value.';

function splitHeader(text: string, advice: string): readonly [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError(advice);
  return [name.toLowerCase(), value];
}

/** Throws SecretMissingError. */
const readHeaders = (variables: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, env]) => [name, readSecret({ env })]));

function parseAsOf(text: string): number {
  const at = parseW3cDate(text);
  if (at === null) throw new InvalidArgumentError('Write a W3C date, such as 2026-11-21 or 2026-11-21T08:00:00+03:00.');
  return getStart(at);
}
