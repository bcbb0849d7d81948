/**
 * A form of a URL for comparisons: services echo URLs unescaped, with or without the trailing slash. Use it to match a
 * response against known URLs, never in a request.
 */
export function canonicalUrl(url: string): string {
  try {
    const parsed = new URL(url.trim());
    parsed.pathname = parsed.pathname.replace(/\/+$/, '');
    return decodeURI(parsed.href).trim();
  } catch {
    return url;
  }
}
