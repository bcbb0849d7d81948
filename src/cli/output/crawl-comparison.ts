import type { Static } from 'typebox';
import type { Output } from '../../cli-kit/output.ts';
import { writeOut } from '../../cli-kit/stdout.ts';
import { formatVersion, isLater, type Version } from '../../url/version.ts';
import type { ComparedCrawl } from './compared-crawl.ts';
import { formatCount, formatCounted } from './format.ts';
import type { PageTable } from './page-table.ts';
import type { ComparisonFields, PageChangeRecord } from './records/crawl.ts';

type PageChange = Static<typeof PageChangeRecord>;

/** Rows that are written at once. */
const ROWS = 1_000;

/**
 * What is new, changed and gone between two crawls: the pages of `now` in their order, then those that are gone. A page has
 * changed when its version is certainly later (docs/explanation/ledger.md, "Versions"), as a watch with `resubmit` sees it.
 * Missing pages of a crawl that was not complete mean nothing: then none is gone, or new.
 */
export function* comparePages(table: PageTable, old: ComparedCrawl, now: ComparedCrawl): Generator<PageChange> {
  const describe = (change: PageChange['change'], page: number): PageChange => ({
    type: 'page_change',
    change,
    url: table.get(page),
    lastmod: toText(now.getVersion(page)),
    old_lastmod: toText(old.getVersion(page)),
  });
  for (const page of now.pages) {
    if (!old.has(page)) {
      if (old.complete) yield describe('new', page);
    } else if (isLater(now.getVersion(page), old.getVersion(page))) yield describe('changed', page);
  }
  if (!now.complete) return;
  for (const page of old.pages) if (!now.has(page)) yield describe('gone', page);
}

const toText = (version: Version | null) => (version === null ? null : formatVersion(version));

/** Writes what differs, a page a line, and returns the counts. */
export async function writeComparison(
  output: Output,
  table: PageTable,
  old: ComparedCrawl,
  now: ComparedCrawl,
): Promise<ComparisonFields> {
  const counts = { new: 0, changed: 0, gone: 0 };
  let text = '';
  let rows = 0;
  for (const row of comparePages(table, old, now)) {
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
