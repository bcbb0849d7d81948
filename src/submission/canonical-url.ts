/**
 * A URL in the form that most services agree on: they echo it unescaped, with or without the slash that ends its path.
 * For telling whether two names mean one of few known URLs, never for what is sent.
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
