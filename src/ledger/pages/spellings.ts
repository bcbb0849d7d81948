import type { Url } from '../../url/normalize-url.ts';

/**
 * The forms in which a service may return a normalized URL: as it was sent, and with or without the slash that ends its
 * path. The first is the URL itself.
 */
export function listSpellings(url: Url): readonly Url[] {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.pathname === '/') return [url];
  const path = parsed.pathname;
  parsed.pathname = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
  return [url, parsed.href as Url];
}
