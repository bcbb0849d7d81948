import { createHash } from 'node:crypto';
import { pick } from '../support/seeded.ts';
import { type Break, FRAMINGS, type Framing } from '../support/sitemap/breaking-server.ts';
import { writeDoc } from './document.ts';
import type { Answer, Format, Item } from './wire.ts';

type Random = () => number;

const FORMATS: readonly Format[] = ['urlset', 'urlset', 'urlset', 'text', 'csv', 'tsv', 'rss', 'atom', 'json-feed'];
const DAY = 86_400_000;
const START = Date.UTC(2024, 0, 5, 10);
const framings = Object.keys(FRAMINGS) as Framing[];

interface Entry {
  readonly page: number;
  /** Days after the start, and how the date is written; undefined without one. Only where each file dates for itself. */
  readonly own?: { readonly days: number; readonly form: number } | undefined;
}

interface File {
  readonly name: string;
  readonly format: Format;
  readonly isPacked: boolean;
  /** True: another one for other bytes. Constant: the same for all bytes. */
  readonly validator: 'true' | 'constant' | 'none';
  readonly isMoved: boolean;
  isNamed: boolean;
  entries: Entry[];
}

/** What goes wrong with a path in one visit. */
type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly times: number }
  | { readonly kind: 'break'; readonly parts: readonly number[]; readonly breaks: Break }
  | { readonly kind: 'not-modified' };

/** A random site: an index, perhaps behind a redirect that moves, its files, and a file beside it. It changes between visits. */
export class Site {
  readonly #random: Random;
  readonly #origin: string;
  readonly #breaks: readonly Break[];
  /**
   * Each file dates pages for itself, with any precision, and takes dates back; else all of them give a page the same date,
   * which only moves on.
   */
  readonly #hasOwnDates: boolean;
  readonly #days: number[];
  readonly #form: number;
  readonly #files: File[];
  readonly #isRedirected: boolean;
  readonly #isRelative: boolean;
  readonly #hasBeside: boolean;
  readonly #indexValidator: 'true' | 'none';
  #build = 1;
  #faults = new Map<string, Fault>();
  #framing = 0;
  readonly #asked = new Map<string, number>();
  #isTruthful = false;

  constructor(random: Random, origin: string, breaks: readonly Break[]) {
    this.#random = random;
    this.#origin = origin;
    this.#breaks = breaks;
    this.#hasOwnDates = random() < 0.7;
    this.#days = Array.from({ length: this.#below(9) + 2 }, () => this.#below(20));
    this.#form = this.#below(EXACT_FORMS.length);
    this.#isRedirected = random() < 0.4;
    this.#isRelative = random() < 0.4;
    this.#hasBeside = random() < 0.3;
    this.#indexValidator = pick(random, ['true', 'none']);
    this.#files = Array.from({ length: this.#below(4) + 1 }, (_, at) => this.#createFile(at));
    this.visit();
  }

  /** Paths of the sources. */
  get sources(): string[] {
    return this.#hasBeside ? ['/sitemap.xml', '/beside'] : ['/sitemap.xml'];
  }

  /** Before each visit: edits, and what goes wrong. `isQuiet`: nothing does, and every validator is true. */
  visit({ isQuiet = false } = {}): void {
    for (let left = this.#below(5); left > 0; left -= 1) this.#edit();
    this.#faults = new Map();
    this.#framing = this.#below(1_000);
    this.settle(isQuiet);
    if (isQuiet) return;
    for (const { name } of [{ name: 'index' }, ...this.#files]) {
      const fault = this.#random() < 0.15 ? this.#createFault() : undefined;
      if (fault !== undefined) this.#faults.set(name, fault);
    }
  }

  /** Forgets the requests so far: faults of a first attempt come again. */
  settle(isTruthful: boolean): void {
    this.#asked.clear();
    this.#isTruthful = isTruthful;
  }

  answer(path: string, validator: string | undefined): Answer {
    if (path === '/sitemap.xml') {
      return this.#isRedirected
        ? { kind: 'redirect', to: `/build-${this.#build}/index.xml` }
        : this.#answerIndex(path, validator);
    }
    if (path === `/build-${this.#build}/index.xml` && this.#isRedirected) return this.#answerIndex(path, validator);
    const file = this.#files.find((each) => this.#toPath(each) === path || movedPath(each) === path);
    if (file === undefined) return { kind: 'status', status: 404 };
    if (file.isMoved && path === this.#toPath(file)) return { kind: 'redirect', to: movedPath(file) };
    const items = file.entries.map((entry) => this.#toItem(entry, file.format));
    return this.#send(path, validator, file.name, file.format, items, file.isPacked, file.validator);
  }

  #answerIndex(path: string, validator: string | undefined): Answer {
    const named = this.#files.filter(({ isNamed, name }) => isNamed && name !== 'beside');
    const items = named.map((file) => ({
      href: this.#isRelative ? file.name : `${this.#origin}/${file.name}`,
      date: null,
    }));
    return this.#send(path, validator, 'index', 'index', items, false, this.#indexValidator);
  }

  #send(
    path: string,
    validator: string | undefined,
    name: string,
    format: Format,
    items: readonly Item[],
    isPacked: boolean,
    kind: File['validator'],
  ): Answer {
    const fault = this.#faults.get(name);
    const asked = this.#asked.get(name) ?? 0;
    this.#asked.set(name, asked + 1);
    if (fault?.kind === 'not-modified') return fault;
    if (fault?.kind === 'status' && asked < fault.times) return { kind: 'status', status: fault.status };
    const doc = writeDoc(format, items, isPacked);
    const digest = createHash('sha256').update(doc.body).digest('hex').slice(0, 12);
    const etag = kind === 'none' ? undefined : kind === 'constant' && !this.#isTruthful ? '"same"' : `"${digest}"`;
    if (etag !== undefined && validator === etag) return { kind: 'not-modified' };
    // The same whatever was asked before it.
    const framing = framings[(this.#framing + Buffer.from(path).reduce((sum, code) => sum + code)) % framings.length]!;
    const part = fault?.kind === 'break' ? fault.parts[asked] : undefined;
    const broken =
      part === undefined || fault?.kind !== 'break'
        ? {}
        : { broken: { sent: Math.floor(doc.body.length * part), breaks: fault.breaks } };
    return { kind: 'document', doc, etag, framing, ...broken };
  }

  #toItem({ page, own }: Entry, format: Format): Item {
    const odd = ['', '?a=1&b=2', '/ü'][page % 3];
    const href = format === 'atom' && page % 2 === 0 ? `p/${page}` : `https://shop.example/p/${page}${odd}`;
    if (format === 'text') return { href, date: null };
    if (this.#hasOwnDates && own === undefined) return { href, date: null };
    const { days, form } = own ?? { days: this.#days[page] ?? 0, form: this.#form };
    const at = START + days * DAY + (own === undefined ? 0 : (days % 3) * 1_234);
    const date = FORMS[form]!(at);
    if (Number.isNaN(Date.parse(date))) return { href, date: format === 'csv' || format === 'tsv' ? null : date };
    return { href, date: format === 'rss' ? new Date(date).toUTCString() : date };
  }

  #toPath({ name }: File): string {
    if (name === 'beside') return '/beside';
    return this.#isRelative && this.#isRedirected ? `/build-${this.#build}/${name}` : `/${name}`;
  }

  #createFile(at: number): File {
    const random = this.#random;
    const name = at === 1 && this.#hasBeside ? 'beside' : `f${at}`;
    const format =
      !this.#hasOwnDates && this.#form === 0
        ? pick(
            random,
            FORMATS.filter((each) => each !== 'rss'),
          )
        : pick(random, FORMATS);
    return {
      name,
      format,
      isPacked: random() < 0.2,
      validator: pick(random, ['true', 'true', 'constant', 'none']),
      isMoved: random() < 0.2,
      isNamed: true,
      entries: Array.from({ length: this.#below(6) + 1 }, () => this.#createEntry()),
    };
  }

  #createEntry(): Entry {
    const page = this.#below(this.#days.length);
    if (!this.#hasOwnDates || this.#random() < 0.2) return { page };
    return {
      page,
      own: { days: this.#below(6) * pick(this.#random, [1, 1, 1, 20, 100]), form: this.#below(FORMS.length) },
    };
  }

  #edit(): void {
    const random = this.#random;
    const file = pick(random, this.#files);
    const at = this.#below(file.entries.length);
    const how = random();
    if (how < 0.25) file.entries.splice(at, 0, this.#createEntry());
    else if (how < 0.4 && file.entries.length > 1) file.entries.splice(at, 1);
    else if (how < 0.5) file.entries.push(...file.entries.splice(at, 1));
    else if (how < 0.6) pick(random, this.#files).entries.push(file.entries[at]!);
    else if (how < 0.8) this.#date(file, at);
    else if (how < 0.9) this.#build += 1;
    else if (this.#files[0] !== file) file.isNamed = !file.isNamed;
  }

  #date(file: File, at: number): void {
    const page = file.entries[at]!.page;
    if (!this.#hasOwnDates) this.#days[page] = (this.#days[page] ?? 0) + 1 + this.#below(3);
    else file.entries[at] = { ...this.#createEntry(), page };
  }

  #createFault(): Fault {
    const random = this.#random;
    const how = random();
    if (how < 0.1) return { kind: 'not-modified' };
    if (how < 0.3) return { kind: 'status', status: pick(random, [404, 500, 503]), times: this.#below(4) };
    // Each attempt comes further than the one before it: a body that becomes shorter has changed.
    const times = this.#below(3) + 1;
    const parts = Array.from({ length: times }, (_, at) => (at + 0.1 + 0.8 * random()) / times);
    return { kind: 'break', parts, breaks: pick(random, this.#breaks) };
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }
}

const movedPath = ({ name }: File): string => `/moved/${name}`;

/** How a moment is written: as its day, its minute, its second, a part of it, and in another zone. */
const EXACT_FORMS: readonly ((at: number) => string)[] = [
  (at) => new Date(at).toISOString().slice(0, 10),
  (at) => `${new Date(at).toISOString().slice(0, 19)}Z`,
  (at) => `${new Date(at).toISOString().slice(0, 16)}Z`,
  (at) => new Date(at).toISOString(),
  (at) => `${new Date(at + 3 * 3_600_000).toISOString().slice(0, 19)}+03:00`,
];
/** The same, as its month or year, and as what names no moment of an edit. */
const FORMS: typeof EXACT_FORMS = [
  ...EXACT_FORMS,
  (at) => new Date(at).toISOString().slice(0, 7),
  (at) => new Date(at).toISOString().slice(0, 4),
  (at) => `2999${new Date(at).toISOString().slice(4)}`,
  (at) => `day ${at}`,
];
