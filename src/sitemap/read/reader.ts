import type { ProblemCode, Severity } from '../problems.ts';
import type { Block } from './block.ts';
import type { RecordFields } from './record-layout.ts';

/** Where a reader puts what it finds. */
export interface Sink {
  /** A page: `loc` is decoded and trimmed, `lastmod` is trimmed text. */
  page(loc: string, lastmod: string | null, reference?: Reference): void;
  /**
   * The same page as bytes, before any string is made of it: the texts as written, not decoded and not trimmed. Returns
   * false to get it as strings.
   */
  rawPage?(block: Block, fields: RecordFields): boolean;
  /** A sitemap that an index or a robots.txt names. */
  child(loc: string): void;
  /** A record, item or line that names no page. A document that holds nothing else is never complete. */
  unusable(): void;
  /** `at` is the offset in the decoded document. */
  problem(code: ProblemCode, severity: Severity, message: string, at?: number): void;
}

/** The format of this document allows relative URLs (Atom; RSS below an xml:base). Sitemaps do not. */
export interface Reference {
  /** The values of xml:base around the link, outermost first. */
  readonly bases: readonly string[];
}

/**
 * Reads one document block by block. Throws SitemapError when there is no point in reading on. Blocks are UTF-8; a
 * document that claims to be UTF-8 may hold invalid bytes.
 */
export interface DocumentReader {
  write(block: Buffer): void;
  /** `cut` when the bytes broke off: the last record may be half of one. */
  end(cut: boolean): void;
}
