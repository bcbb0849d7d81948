import type { CrawlEvent } from '../../sitemap/crawl.ts';

/**
 * The pages of one event as text: NDJSON records, or one URL per line. Written by hand, because a serializer takes as long
 * for a million objects as the crawl. A record has `url` only if it differs from the loc. A relative loc that names no page
 * has a record with a null URL and no line.
 */
export function pageLines({ sitemap, entries }: Extract<CrawlEvent, { type: 'entries' }>, json: boolean): string {
  let text = '';
  if (!json) {
    for (const { url } of entries) if (url !== null) text += `${url}\n`;
    return text;
  }
  const tail = `,"sitemap":${JSON.stringify(sitemap)}}\n`;
  for (const { loc, url, relative, lastmod } of entries) {
    text += `{"type":"url","loc":${JSON.stringify(loc)},"lastmod":${lastmod === null ? 'null' : JSON.stringify(lastmod)}`;
    if (url !== loc) text += `,"url":${url === null ? 'null' : JSON.stringify(url)}`;
    if (relative === true) text += ',"relative":true';
    text += tail;
  }
  return text;
}
