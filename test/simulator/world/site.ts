import type { Endpoint, NetRequest, NetResponse } from '../platform/network.ts';
import { toExactness } from './oracle/moments.ts';

export const SITE = 'https://www.shop.example';
/** A page that the simulated processor fails. */
export const FAILS = '~fail';
/** A page that it fails when it is bought first, completes when it is bought again, fails after that, and so on. */
export const FAILS_ONCE = '~once';
/** A page that the service's gateway refuses with 422, every time. */
export const POISON = '~poison';

/** How a generator writes the moment of a lastmod. */
export const FORMATS = ['as it is', 'milliseconds', 'seconds', 'minutes', 'in Istanbul', 'day'] as const;
export type Format = (typeof FORMATS)[number];

/** A moment in a format; by the day it names midnight, and by the minute what is before its seconds. */
export function writeMoment(lastmod: string, format: Format): string {
  const iso = new Date(lastmod).toISOString();
  switch (format) {
    case 'as it is':
      return lastmod;
    case 'milliseconds':
      return iso;
    case 'seconds':
      return iso.replace(/\.\d+/, '');
    case 'minutes':
      return iso.replace(/:\d\d\.\d+/, '');
    case 'in Istanbul':
      return new Date(Date.parse(iso) + 10_800_000).toISOString().replace(/\.\d+Z/, '+03:00');
    case 'day':
      return iso.slice(0, 10);
  }
}

export interface Page {
  readonly url: string;
  /** The day of its last change, as its sitemap says; null: it does not say. */
  readonly lastmod: string | null;
}

/** Of two dates that are not equally exact one is surely later by so much: a day, and the zones on both sides. */
export const UNSURE_MS = 3 * 86_400_000;

/** The sites: what each sitemap lists now, and what each page was ever listed as. */
export class Site implements Endpoint {
  readonly host = null;
  /** How each sitemap writes its lastmods; absent: as they are. */
  readonly formats = new Map<string, Format>();
  readonly #sitemaps = new Map<string, readonly Page[]>();
  /** The lastmod of each page when it was new, and after each change: as often it may be bought. */
  readonly #versions = new Map<string, (string | null)[]>();
  /** The newest lastmod that each page ever had. */
  readonly #newest = new Map<string, string>();
  readonly #listedBy = new Map<string, Set<string>>();
  /** The last one that each page had; null: none yet. */
  readonly #lastmods = new Map<string, string | null>();
  /** Pages whose lastmod began: a crawl may have seen none before the last one. */
  readonly #begun = new Set<string>();

  /** In how many ways each page was dated: what is not equally exact may name one edit. */
  readonly #formatsOf = new Map<string, Set<string>>();

  /** Pages that the second file of their sitemap lists. */
  readonly #inSecondFile = new Set<string>();

  moveToOtherFile(url: string): void {
    if (!this.#inSecondFile.delete(url)) this.#inSecondFile.add(url);
  }

  readonly #parts = new Map<string, number>();

  /** A folder that no page of the sitemap has yet: an act may publish more than once, and no file lists a page twice by that. */
  nameNew(sitemap: string, part: string): string {
    const name = `${sitemap}/${part}`;
    const times = this.#parts.get(name) ?? 0;
    this.#parts.set(name, times + 1);
    return times === 0 ? part : `${part}-${times}`;
  }

  publish(sitemap: string, pages: readonly Page[]): void {
    this.#sitemaps.set(sitemap, pages);
    for (const { url, lastmod: written } of pages) {
      const lastmod = this.#toShown(sitemap, written);
      this.#listedBy.set(url, (this.#listedBy.get(url) ?? new Set()).add(sitemap));
      const format = this.formats.get(sitemap) ?? 'as it is';
      if (written !== null)
        this.#formatsOf.set(
          url,
          (this.#formatsOf.get(url) ?? new Set()).add(format === 'as it is' ? toExactness(written) : format),
        );
      const known = this.#lastmods.get(url);
      // A sitemap that begins to write lastmods, or leaves one out, has changed no page.
      const isNewVersion = known === undefined || (known !== null && lastmod !== null && known !== lastmod);
      if (known === undefined || lastmod !== null) this.#lastmods.set(url, lastmod);
      if (known === null && lastmod !== null) this.#begun.add(url);
      if (!isNewVersion) continue;
      const newest = this.#newest.get(url) ?? '';
      this.#newest.set(url, lastmod !== null && lastmod > newest ? lastmod : newest);
      this.#versions.set(url, [...(this.#versions.get(url) ?? []), lastmod]);
    }
  }

  /** The moment that a format leaves of a lastmod: what it drops is no change that anybody could see. */
  #toShown(sitemap: string, lastmod: string | null): string | null {
    if (lastmod === null || this.formats.size === 0) return lastmod;
    return new Date(writeMoment(lastmod, this.formats.get(sitemap) ?? 'as it is')).toISOString();
  }

  list(sitemap: string): readonly Page[] {
    return this.#sitemaps.get(sitemap) ?? [];
  }

  /** Its pages with the moments that its format shows. */
  listShown(sitemap: string): readonly Page[] {
    if (this.formats.size === 0) return this.list(sitemap);
    return this.list(sitemap).map((page) => ({ ...page, lastmod: this.#toShown(sitemap, page.lastmod) }));
  }

  /** The lastmod that a page had last; null: none yet, undefined: it was never listed. */
  getLastmod(url: string): string | null | undefined {
    return this.#lastmods.get(url);
  }

  /** All that was ever listed. */
  listEver(): readonly string[] {
    return [...this.#lastmods.keys()];
  }

  listAll(): Page[] {
    return [...this.#sitemaps.values()].flat();
  }

  getVersions(url: string): number {
    return this.#versions.get(url)?.length ?? 0;
  }

  /** Those that ever listed it. */
  listSitemaps(url: string): readonly string[] {
    return [...(this.#listedBy.get(url) ?? [])];
  }

  /** The newest lastmod that it ever had; empty: none. */
  getNewest(url: string): string {
    return this.#newest.get(url) ?? '';
  }

  /**
   * Whether its lastmod is certainly a change: one that it never had before and the newest that it ever had, in the only
   * sitemap that ever listed it. What another watch of the account has bought is not new for the next one, whatever its
   * lastmod is. Where a lastmod comes back, no crawl may have seen the one in between.
   */
  isChange(url: string): boolean {
    if ((this.#listedBy.get(url)?.size ?? 0) > 1 || this.#begun.has(url)) return false;
    const [last = '', ...earlier] = (this.#versions.get(url) ?? []).map((lastmod) => lastmod ?? '').reverse();
    const apartMs = (this.#formatsOf.get(url)?.size ?? 0) > 1 ? UNSURE_MS : 0;
    const isApart = (each: string) => each === '' || Date.parse(last) - Date.parse(each) > apartMs;
    return (
      last === (this.#newest.get(url) ?? '') && !earlier.includes(last) && (apartMs === 0 || earlier.every(isApart))
    );
  }

  async answer({ path }: NetRequest): Promise<NetResponse> {
    const [, name = '', second] = /^\/(\w+?)(-2)?\.xml$/.exec(path) ?? [];
    const pages = this.#sitemaps.get(name);
    if (pages === undefined) return respond(404, 'text/html', '<h1>Not found</h1>');
    const isSecond = second !== undefined;
    return respond(
      200,
      'application/xml',
      toXml(
        pages.filter(({ url }) => this.#inSecondFile.has(url) === isSecond),
        this.formats.get(name) ?? 'as it is',
      ),
    );
  }
}

export const respond = (
  status: number,
  type: string,
  text: string,
  more: Record<string, string> = {},
): NetResponse => ({
  status,
  headers: { 'content-type': type, ...more },
  body: Buffer.from(text),
});

function toXml(pages: readonly Page[], format: Format): string {
  const entries = pages.map(
    ({ url, lastmod }) =>
      `<url><loc>${url}</loc>${lastmod === null ? '' : `<lastmod>${writeMoment(lastmod, format)}</lastmod>`}</url>`,
  );
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</urlset>`;
}
