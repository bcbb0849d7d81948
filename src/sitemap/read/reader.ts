import type { ProblemCode, Severity } from '../problems.ts';

/** Where a reader puts what it finds. */
export interface Sink {
  /** A page: loc decoded and trimmed, lastmod as trimmed text. */
  page(loc: string, lastmod: string | null): void;
  /** A sitemap named by an index or a robots.txt. */
  child(loc: string): void;
  /** `at` is the byte of the decoded document where it was seen. */
  problem(code: ProblemCode, severity: Severity, message: string, at?: number): void;
}

/**
 * Reads one document as it comes in, block by block. Throws SitemapError when reading on makes no sense. Blocks are
 * UTF-8, or bytes of a superset of ASCII that calls itself so.
 */
export interface DocumentReader {
  write(block: Buffer): void;
  /** `cut` when the bytes broke off: what stands at the end may be half of something. */
  end(cut: boolean): void;
}
