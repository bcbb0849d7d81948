import type { CrawlEvent } from '../../sitemap/crawl.ts';

/**
 * The pages of one event as text: NDJSON records, or one URL a line. By hand, because a million objects through a
 * serializer take as long as the crawl. `url` stands in a record only where it is not the loc itself.
 */
export function pageLines({ sitemap, entries }: Extract<CrawlEvent, { type: 'entries' }>, json: boolean): string {
  let text = '';
  if (!json) {
    for (const { loc, url } of entries) text += `${url ?? loc}\n`;
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
