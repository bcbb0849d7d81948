import type { Database } from '../../../src/database/database.ts';
import { sql } from '../../../src/database/sql.ts';
import { parsePage } from './pages.ts';
import { shorten } from './shorten.ts';

/** Every page that a sitemap lists was bought once, and no other. */
export async function findWrongPurchases(service: Database, pages: ReadonlyMap<string, number>): Promise<string[]> {
  const bought = new Map([...pages].map(([watch, count]) => [watch, new Uint8Array(count)]));
  const wrong: string[] = [];
  const submissions = await service.all(sql<{ id: number }>`SELECT id FROM submissions ORDER BY id`);
  for (const { id } of submissions) {
    const urls = await service.all(sql<{ url: string }>`SELECT url FROM submission_urls WHERE submission_id = ${id}`);
    for (const { url } of urls) {
      const page = parsePage(url);
      const times = page === null ? undefined : bought.get(page.watch);
      if (page === null || times === undefined || page.page >= times.length)
        wrong.push(`${url} was bought, and no sitemap lists it`);
      else if (times[page.page]!++ > 0) wrong.push(`${url} was bought ${times[page.page]} times`);
    }
  }
  for (const [watch, times] of bought) {
    const missing = times.reduce((sum, n) => sum + (n === 0 ? 1 : 0), 0);
    if (missing > 0)
      wrong.push(`${missing} of ${times.length} pages of ${watch} were never bought, the first is ${times.indexOf(0)}`);
  }
  return shorten(wrong);
}
