import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { normalizeUrl } from '../url/normalize-url.ts';
import { SitemapError } from './problems.ts';

/** Where a sitemap is. `name` is its name in events, and for http its URL. Only the user can name a local file. */
export type Source =
  | { readonly kind: 'http'; readonly name: string }
  | { readonly kind: 'file'; readonly name: string; readonly path: string };

/** Parses a source as a user writes it: a URL, a path, a `file:` URL, or `-`. Throws BAD_URL, without credentials. */
export function parseSource(text: string): Source {
  if (text === '-') return { kind: 'file', name: '-', path: '-' };
  if (/^file:/i.test(text)) return { kind: 'file', name: text, path: parseFileUrl(text) };
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return { kind: 'file', name: text, path: resolve(text) };
  const normal = normalizeUrl(text);
  if (normal.ok) return { kind: 'http', name: normal.url };
  if (normal.reason === 'credentials') {
    throw new SitemapError(
      'BAD_URL',
      'the address contains a user name or password; send them as a header instead (--header-env, or headers of the watch)',
    );
  }
  throw new SitemapError('BAD_URL', `"${text.slice(0, 200)}" is not an http, https or file address`);
}

function parseFileUrl(text: string): string {
  if (!/^file:\/\/(localhost)?\//i.test(text)) {
    throw new SitemapError(
      'BAD_URL',
      `"${text.slice(0, 200)}" is not an absolute file address like file:///srv/sitemap.xml`,
    );
  }
  try {
    return fileURLToPath(text);
  } catch (cause) {
    throw new SitemapError('BAD_URL', `"${text.slice(0, 200)}" is not a file address: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** A source that cannot be parsed as a name in events, without credentials. */
export const toSafeName = (text: string) => text.replace(/\/\/[^/?#]*@/, '//…@').slice(0, 300);
