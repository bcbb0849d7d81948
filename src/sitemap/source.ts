import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { normalizeUrl } from '../url/normalize-url.ts';
import { SitemapError } from './problems.ts';

/** Where a sitemap is. `name` is how events call it, and for http its URL; a local one has been named by a person and by nobody else. */
export type Source =
  | { readonly kind: 'http'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly path: string };

/** A source as a person writes it: a URL, a path, a `file:` URL, or `-`. Throws BAD_URL, without showing credentials. */
export function parseSource(text: string): Source {
  if (text === '-') return { kind: 'file', name: '-', path: '-' };
  if (/^file:/i.test(text)) {
    if (!URL.canParse(text)) throw new SitemapError('BAD_URL', 'the file: address cannot be read');
    return { kind: 'file', name: text, path: fileURLToPath(text) };
  }
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return { kind: 'file', name: text, path: resolve(text) };
  const normal = normalizeUrl(text);
  if (normal.ok) return { kind: 'http', name: normal.url };
  if (normal.reason === 'credentials') {
    throw new SitemapError('BAD_URL', 'the address has a user name or password in it; give them as a header instead');
  }
  throw new SitemapError('BAD_URL', `"${text.slice(0, 200)}" is no http, https or file address`);
}

/** The name of a source in events, when it could not be parsed: without what may be a secret. */
export const safeName = (text: string) => text.replace(/\/\/[^/?#]*@/, '//…@').slice(0, 300);
