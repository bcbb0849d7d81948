import type { Break, Framing } from '../support/sitemap/breaking-server.ts';

export type Format = 'urlset' | 'index' | 'text' | 'csv' | 'tsv' | 'rss' | 'atom' | 'json-feed';

/** What a document names, in its order: pages, or the sitemaps of an index. */
export interface Item {
  /** Absolute, or relative where the format allows it. */
  readonly href: string;
  /** As written; null without one. */
  readonly date: string | null;
}

export interface Doc {
  readonly format: Format;
  readonly items: readonly Item[];
  /** The offset behind each record, in bytes that are not packed. */
  readonly ends: readonly number[];
  /** From here on the document is whole; lines have no such place. */
  readonly closes: number | null;
  readonly isPacked: boolean;
  readonly body: Buffer;
}

/** One request of a crawl, and what it was answered. */
export interface Exchange {
  readonly path: string;
  /** The If-None-Match of the request. */
  readonly validator: string | undefined;
  readonly answer: Answer;
}

export type Answer =
  | { readonly kind: 'not-modified' }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'redirect'; readonly to: string }
  | {
      readonly kind: 'document';
      readonly doc: Doc;
      readonly etag: string | undefined;
      readonly framing: Framing;
      /** The body breaks off after so many bytes. */
      readonly broken?: { readonly sent: number; readonly breaks: Break };
    };
