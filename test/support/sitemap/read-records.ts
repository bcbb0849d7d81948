import { SitemapError } from '../../../src/sitemap/problems.ts';
import type { Sink } from '../../../src/sitemap/read/reader.ts';
import { RecordReader } from '../../../src/sitemap/read/record-reader.ts';
import type { OracleRecord } from './oracles.ts';

/** What our reader finds in a document given in pieces, and what it says about it. */
export function readRecords(bytes: Buffer, sizes: () => number): { records: OracleRecord[]; problems: string[] } {
  const records: OracleRecord[] = [];
  const problems: string[] = [];
  const sink: Sink = {
    page: (loc, lastmod) => records.push({ loc, lastmod }),
    child: (loc) => records.push({ loc, lastmod: null }),
    unusable: () => {},
    problem: (code, severity) => problems.push(`${severity} ${code}`),
  };
  const reader = new RecordReader(sink, { alternates: false });
  try {
    for (let at = 0; at < bytes.length; ) {
      const size = Math.max(1, sizes());
      reader.write(bytes.subarray(at, at + size));
      at += size;
    }
    reader.end(false);
  } catch (error) {
    if (!(error instanceof SitemapError)) throw error;
    problems.push(`error ${error.code}`);
  }
  return { records, problems };
}
