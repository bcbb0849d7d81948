import { existsSync } from 'node:fs';
import { SingleBar } from 'cli-progress';
import { Command, InvalidArgumentError } from 'commander';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { VERSION } from '../../observability/version.ts';
import type { CrawlEvent, CrawlOptions, Problem } from '../../sitemap/crawl.ts';
import { crawl } from '../../sitemap/crawl.ts';
import { openStateDirectory, type StateDirectory } from '../../sitemap/state-directory.ts';
import { action, type Ending } from '../output/command.ts';
import { pageLines } from '../output/crawl-lines.ts';

/** Problems in the summary; the rest is counted. */
const MAX_PROBLEMS = 1_000;
const LINE_EVERY_MS = 30_000;

interface Flags {
  readonly allowPrivateHosts?: boolean;
  readonly anyHost?: boolean;
  readonly maxUrls?: number;
  readonly maxSitemaps?: number;
  readonly maxDepth?: number;
  readonly maxBytes?: number;
  readonly concurrency?: number;
  readonly delay?: number;
  readonly timeout?: number;
  readonly retries?: number;
  readonly hreflang?: boolean;
  readonly header?: Record<string, string>;
  readonly userAgent?: string;
  readonly contact?: string;
  readonly state?: string;
}

export function crawlCommand(): Command {
  return new Command('crawl')
    .description('read sitemaps, and print every page that they name')
    .argument('<source...>', 'sitemap, index, feed or robots.txt: a URL, a path, or - for standard input')
    .option('--allow-private-hosts', 'also loopback, private and link-local addresses')
    .option('--any-host', 'also sitemaps on hosts that the sources do not vouch for')
    .option('--max-urls <n>', 'pages at most', wholeNumber)
    .option('--max-sitemaps <n>', 'sitemaps opened at most', wholeNumber)
    .option('--max-depth <n>', 'indexes above a sitemap at most', wholeNumber)
    .option('--max-bytes <n>', 'bytes of one sitemap at most, unpacked', wholeNumber)
    .option('--concurrency <n>', 'sitemaps read at the same time', wholeNumber)
    .option('--delay <ms>', 'between two requests to one host', wholeNumber)
    .option('--timeout <s>', 'for one sitemap, retries included', wholeNumber)
    .option('--retries <n>', 'further tries after a failure that may pass', wholeNumber)
    .option('--hreflang', 'alternates in other languages are pages too')
    .option('--header <name: value>', 'sent to the hosts of the sources (repeatable)', header)
    .option('--user-agent <text>', 'instead of our own')
    .option('--contact <address>', 'in our own user agent: where you can be reached')
    .option('--state <dir>', 'keep validators there: what has not changed is not read again')
    .action(action((output, _globals, sources: string[], flags: Flags) => run(output, sources, flags)));
}

async function run(output: Output, sources: readonly string[], flags: Flags): Promise<Ending> {
  const missing = sources.find((source) => isPath(source) && !existsSync(source));
  if (missing !== undefined) throw new CommandError(EXIT.usage, `There is no file ${missing}; nothing was read.`);
  const state = flags.state === undefined ? undefined : await openStateDirectory(flags.state);
  const stop = new AbortController();
  const report = new Report(output, state);
  const release = onInterrupt((why) => stop.abort(why));
  try {
    for await (const event of crawl(sources, toCrawlOptions(flags, state, stop.signal))) await report.on(event);
  } catch (error) {
    if (!(error instanceof Interruption)) throw error;
    return { exitCode: error.exitCode, summary: { ...report.summary, error: error.message } };
  } finally {
    release();
    report.end();
  }
  return { exitCode: report.complete ? EXIT.done : EXIT.partial, summary: report.summary };
}

/** Ends the crawl early, but with the summary of what was read. */
class Interruption extends CommandError {}

function toCrawlOptions(flags: Flags, state: StateDirectory | undefined, signal: AbortSignal): CrawlOptions {
  const given = <K extends keyof Flags, O>(key: K, as: (value: NonNullable<Flags[K]>) => O) =>
    flags[key] === undefined ? {} : as(flags[key]);
  const agent = `sitemap-courier/${VERSION}`;
  return {
    signal,
    userAgent: flags.userAgent ?? (flags.contact === undefined ? agent : `${agent} (+${flags.contact})`),
    allowPrivateHosts: flags.allowPrivateHosts ?? false,
    anyHost: flags.anyHost ?? false,
    hreflang: flags.hreflang ?? false,
    ...given('maxUrls', (maxUrls) => ({ maxUrls })),
    ...given('maxSitemaps', (maxSitemaps) => ({ maxSitemaps })),
    ...given('maxDepth', (maxDepth) => ({ maxDepth })),
    ...given('maxBytes', (maxBytes) => ({ maxBytes })),
    ...given('concurrency', (concurrency) => ({ concurrency: Math.max(1, concurrency) })),
    ...given('delay', (hostDelayMs) => ({ hostDelayMs })),
    ...given('timeout', (seconds) => ({ timeouts: { totalMs: seconds * 1_000 } })),
    ...given('retries', (retries) => ({ retries })),
    ...given('header', (headers) => ({ headers })),
    ...(state === undefined ? {} : { known: state.known }),
  };
}

/** Turns events into output: pages to stdout, what is wrong and how far it is to stderr. */
class Report {
  readonly #output: Output;
  readonly #state: StateDirectory | undefined;
  readonly #problems: Problem[] = [];
  readonly #bar: SingleBar | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #omitted = 0;
  #urls = 0;
  #visited = 0;
  #expected = 0;
  #notModified = 0;
  complete = false;

  constructor(output: Output, state: StateDirectory | undefined) {
    this.#output = output;
    this.#state = state;
    if (output.live) {
      this.#bar = new SingleBar({
        format: '{bar} {value}/{total} sitemaps, {urls} pages',
        stream: process.stderr,
        clearOnComplete: true,
        hideCursor: true,
      });
      this.#bar.start(0, 0, { urls: 0 });
    } else {
      this.#timer = setInterval(() => output.say(this.#progress), LINE_EVERY_MS);
      this.#timer.unref();
    }
  }

  async on(event: CrawlEvent): Promise<void> {
    if (event.type === 'entries') {
      for (const { url } of event.entries) if (url !== null) this.#urls += 1;
      await write(pageLines(event, this.#output.json));
    } else if (event.type === 'problem') this.#problem(event);
    else if (event.type === 'summary') this.complete = event.complete;
    else if (event.type === 'verdict') {
      this.#visited += 1;
      if ('children' in event) this.#expected += event.children?.length ?? 0;
      if (event.verdict === 'not-modified') this.#notModified += 1;
      if (event.verdict === 'complete' || event.verdict === 'not-modified')
        await this.#state?.keep(event.sitemap, event);
    }
    this.#bar?.setTotal(Math.max(this.#expected + 1, this.#visited));
    this.#bar?.update(this.#visited, { urls: this.#urls });
  }

  end(): void {
    clearInterval(this.#timer);
    this.#bar?.stop();
    this.#output.say(`${this.complete ? 'Complete' : 'Not complete'}: ${this.#progress}.`);
  }

  get #progress(): string {
    const unchanged = this.#notModified === 0 ? '' : `, ${this.#notModified} of them not modified`;
    return `${this.#urls} pages in ${this.#visited} sitemaps${unchanged}`;
  }

  get summary(): Record<string, unknown> {
    return {
      urls: this.#urls,
      sitemaps: this.#visited,
      not_modified: this.#notModified,
      complete: this.complete,
      problems: this.#problems,
      ...(this.#omitted === 0 ? {} : { problems_omitted: this.#omitted }),
    };
  }

  #problem({ sitemap, code, severity, message, count }: Problem): void {
    if (this.#problems.length >= MAX_PROBLEMS) {
      this.#omitted += 1;
      return;
    }
    this.#problems.push({ sitemap, code, severity, message, ...(count === undefined ? {} : { count }) });
    if (this.#bar === undefined) {
      this.#output.say(`${severity} ${code} ${sitemap}: ${message}${count === undefined ? '' : ` (${count} times)`}`);
    }
  }
}

/** Waits while the reader of stdout is slower than the crawl: memory stays bounded however large the output is. */
function write(text: string): Promise<void> | undefined {
  if (text === '' || process.stdout.write(text)) return undefined;
  return new Promise((resolve) => {
    const settle = () => {
      process.stdout.off('drain', settle).off('error', settle);
      resolve();
    };
    process.stdout.on('drain', settle).on('error', settle);
  });
}

/** Ctrl-C and SIGTERM, and a reader of stdout that has seen enough (`| head`). */
function onInterrupt(stop: (why: Interruption) => void): () => void {
  const interrupted = () =>
    stop(new Interruption(EXIT.interrupted, 'Interrupted: what was printed is right, and not all.'));
  const terminated = () =>
    stop(new Interruption(EXIT.terminated, 'Terminated: what was printed is right, and not all.'));
  const closed = () => stop(new Interruption(EXIT.partial, 'The reader of the output went away before its end.'));
  process.once('SIGINT', interrupted).once('SIGTERM', terminated);
  process.stdout.on('error', closed);
  return () => process.off('SIGINT', interrupted).off('SIGTERM', terminated);
}

const isPath = (source: string) => source !== '-' && !/^[a-z][a-z0-9+.-]*:/i.test(source);

function wholeNumber(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function header(text: string, before: Record<string, string> = {}): Record<string, string> {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*)$/.exec(text);
  if (match === null) throw new InvalidArgumentError('It must look like "Name: value".');
  return { ...before, [match[1]!.toLowerCase()]: match[2]! };
}
