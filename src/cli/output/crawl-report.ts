import type { SingleBar } from 'cli-progress';
import type { Output, OutputRecord } from '../../cli-kit/output.ts';
import { writeOut } from '../../cli-kit/stdout.ts';
import type { CrawlEvent, Problem, Saved } from '../../sitemap/crawl.ts';
import type { StateDirectory } from '../../sitemap/state-directory.ts';
import { pageLines } from './crawl-lines.ts';
import { formatCount, formatCounted } from './format.ts';
import { DELAY, formatDelay, formatSaved, type HostDelay, SAVED } from './politeness.ts';

/** Problems in the summary; further ones are only counted. */
const MAX_PROBLEMS = 1_000;
/** Hosts in the summary whose robots.txt asks for a delay. */
const MAX_DELAYS = 100;
const PROGRESS_EVERY_MS = 30_000;

/** A bar for a terminal; undefined for every other output. Its library is loaded only where it is drawn. */
export async function openProgressBar({ live }: Output): Promise<SingleBar | undefined> {
  if (!live) return undefined;
  const { SingleBar } = await import('cli-progress');
  return new SingleBar({
    format: '{bar} {value}/{total} sitemaps, {urls} pages',
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
  });
}

/** Takes the events of a crawl in place of the output; what it has to print comes at the end. */
export interface PageSink {
  on(event: CrawlEvent): void;
  readonly record?: OutputRecord;
  readonly text?: string;
}

/** Turns the events of a crawl into output: pages to stdout, problems and progress to stderr. */
export class CrawlReport {
  readonly #output: Output;
  readonly #state: StateDirectory | undefined;
  readonly #problems: Record<string, unknown>[] = [];
  readonly #bar: SingleBar | undefined;
  /** Problems wait for the end of the bar, which would draw over them. */
  readonly #belowBar: string[] = [];
  readonly #sink: PageSink | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #omitted = 0;
  #urls = 0;
  #fetched = 0;
  #expected = 0;
  #notModified = 0;
  readonly #saved = { sitemaps: 0, bytes: 0, ms: 0 };
  readonly #delays: HostDelay[] = [];
  complete = false;

  constructor(
    output: Output,
    { state, bar, sink }: { state: StateDirectory | undefined; bar: SingleBar | undefined; sink: PageSink | undefined },
  ) {
    this.#output = output;
    this.#state = state;
    this.#bar = bar;
    this.#sink = sink;
    if (bar !== undefined) bar.start(0, 0, { urls: 0 });
    else {
      this.#timer = setInterval(() => output.say(this.#progress), PROGRESS_EVERY_MS);
      this.#timer.unref();
    }
  }

  async on(event: CrawlEvent): Promise<void> {
    this.#sink?.on(event);
    if (event.type === 'entries') {
      for (const { url } of event.entries) if (url !== null) this.#urls += 1;
      if (this.#sink === undefined) await writeOut(pageLines(event, this.#output.json));
    } else if (event.type === 'lines') {
      this.#urls += event.pages;
      await writeOut(event.bytes, event.release);
    } else if (event.type === 'problem') this.#addProblem(event);
    else if (event.type === 'delay') this.#addDelay(event);
    else if (event.type === 'summary') {
      this.complete = event.complete;
      // Those of saved crawls, too, whose verdicts are not kept.
      this.#fetched = event.sitemaps;
    } else if (event.type === 'verdict') {
      this.#fetched += 1;
      if ('children' in event) this.#expected += event.children?.length ?? 0;
      if (event.verdict === 'not-modified') this.#addNotModified(event.saved);
      if (event.verdict === 'complete' || event.verdict === 'not-modified') {
        await this.#state?.keep(event.sitemap, event);
      }
    }
    this.#bar?.setTotal(Math.max(this.#expected + 1, this.#fetched));
    this.#bar?.update(this.#fetched, { urls: this.#urls });
  }

  /** The last line for people. `why` says what ended the crawl early. */
  end(why?: string): void {
    clearInterval(this.#timer);
    this.#bar?.stop();
    for (const line of this.#belowBar) this.#output.say(line);
    const { record, text } = this.#sink ?? {};
    if (record !== undefined) this.#output.record(record);
    if (text !== undefined) this.#output.print(text);
    const reason = why === undefined ? '' : ` ${why}`;
    if (this.complete) this.#output.say(`Complete: ${this.#progress}.${reason}`);
    else this.#warn(`Not complete: ${this.#progress}.${reason}`);
  }

  /** Says what is missing, also with --quiet; with --json as well, the summary alone says it. */
  #warn(line: string): void {
    if (!this.#output.quiet || !this.#output.json) this.#output.warn(line);
  }

  get #progress(): string {
    const unchanged = this.#notModified === 0 ? '' : `, ${formatCount(this.#notModified)} of them not modified`;
    const saved = this.#saved.sitemaps === 0 ? '' : ` (${formatSaved(this.#saved)})`;
    const slow = this.#delays.length === 0 ? '' : `; slowed down for ${formatCounted(this.#delays.length, 'host')}`;
    return `${formatCounted(this.#urls, 'page')} in ${formatCounted(this.#fetched, 'sitemap')}${unchanged}${saved}${slow}`;
  }

  get summary(): Record<string, unknown> {
    return {
      urls: this.#urls,
      sitemaps: this.#fetched,
      not_modified: this.#notModified,
      ...SAVED.read(this.#saved),
      delays: this.#delays.map(DELAY.read),
      complete: this.complete,
      problems: this.#problems,
      ...(this.#omitted === 0 ? {} : { problems_omitted: this.#omitted }),
    };
  }

  #addNotModified(saved: Saved | undefined): void {
    this.#notModified += 1;
    if (saved === undefined) return;
    this.#saved.sitemaps += 1;
    this.#saved.bytes += saved.bytes;
    this.#saved.ms += saved.ms;
  }

  #addDelay(delay: HostDelay): void {
    if (this.#delays.length < MAX_DELAYS) this.#delays.push(delay);
    if (this.#bar === undefined) this.#output.say(formatDelay(delay));
  }

  #addProblem({ sitemap, code, severity, message, count: times, retryAfterMs }: Problem): void {
    if (this.#problems.length >= MAX_PROBLEMS) {
      this.#omitted += 1;
      return;
    }
    this.#problems.push({
      sitemap,
      code,
      severity,
      message,
      ...(times === undefined ? {} : { count: times }),
      ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    });
    const line = `${severity} ${code} ${sitemap}: ${message}${times === undefined ? '' : ` (${times} times)`}`;
    if (this.#bar !== undefined) this.#belowBar.push(line);
    else if (severity === 'error') this.#warn(line);
    else this.#output.say(line);
  }
}
