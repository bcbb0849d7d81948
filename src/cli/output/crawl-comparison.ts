import type { Static } from 'typebox';
import type { Output } from '../../cli-kit/output.ts';
import { writeOut } from '../../cli-kit/stdout.ts';
import { isLater } from '../../url/version.ts';
import type { DatedPages, PageDate } from './dated-pages.ts';
import { formatCount, formatCounted } from './format.ts';
import type { ComparisonFields, PageChangeRecord } from './records/crawl.ts';

type PageChange = Static<typeof PageChangeRecord>;

/** Rows that are written at once. */
const ROWS = 1_000;

/**
 * What is new, changed and gone between two crawls: the pages of `now` in their order, then those that are gone. A page has
 * changed when both dates are there and one is certainly later (docs/explanation/ledger.md, "Versions"). Missing pages of a crawl that
 * was not complete mean nothing: then none is gone, or new.
 */
export function* comparePages(old: DatedPages, now: DatedPages): Generator<PageChange> {
  for (const [url, { lastmod, version }] of now) {
    const before = old.get(url);
    if (before === undefined) {
      if (old.complete) yield { type: 'page_change', change: 'new', url, lastmod, old_lastmod: null };
    } else if (isChanged(before, { lastmod, version })) {
      yield { type: 'page_change', change: 'changed', url, lastmod, old_lastmod: before.lastmod };
    }
  }
  if (!now.complete) return;
  for (const [url, { lastmod }] of old) {
    if (!now.has(url)) yield { type: 'page_change', change: 'gone', url, lastmod: null, old_lastmod: lastmod };
  }
}

function isChanged(before: PageDate, now: PageDate): boolean {
  if (before.lastmod === null || now.lastmod === null) return false;
  if (before.version === null || now.version === null) return before.lastmod !== now.lastmod;
  return isLater(now.version, before.version) || isLater(before.version, now.version);
}

/** Writes what differs, a page a line, and returns the counts. */
export async function writeComparison(output: Output, old: DatedPages, now: DatedPages): Promise<ComparisonFields> {
  const counts = { new: 0, changed: 0, gone: 0 };
  let text = '';
  let rows = 0;
  for (const row of comparePages(old, now)) {
    counts[row.change] += 1;
    text += `${output.json ? JSON.stringify(row) : formatRow(row)}\n`;
    rows += 1;
    if (rows % ROWS !== 0) continue;
    await writeOut(text);
    text = '';
  }
  await writeOut(text);
  return { old_urls: old.size, old_complete: old.complete, unique_urls: now.size, ...counts };
}

/** The last line for people. */
export function formatComparison(
  { old_urls, old_complete, unique_urls, ...counts }: ComparisonFields,
  isWhole: boolean,
): string {
  const { new: added, changed, gone } = counts;
  const known = old_complete ? formatCount(added) : 'unknown: the old crawl is not complete';
  const lost = isWhole ? formatCount(gone) : 'unknown: this crawl is not complete';
  const sizes = `${formatCounted(unique_urls, 'page')} against ${formatCount(old_urls)}`;
  return `New ${known}; changed ${formatCount(changed)}; gone ${lost}. ${sizes}.`;
}

function formatRow({ change, url, lastmod, old_lastmod }: PageChange): string {
  const dates = change === 'changed' ? `  ${old_lastmod} → ${lastmod}` : '';
  return `${change.padEnd(7)}  ${url}${dates}`;
}
