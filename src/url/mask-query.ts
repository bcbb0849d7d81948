const NAMES = 'token|secret|key|sig|signature|password|passwd|pwd|auth|credential';
const PARAMETER = new RegExp(`([?&][^=&#\\s]*(?:${NAMES})[^=&#\\s]*=)([^&#\\s"'<>]+)`, 'gi');
/** Punctuation of the sentence around an address. */
const CLOSING = /[:.,;)]+$/;

/**
 * Masks the values of query parameters whose names speak of a secret, in every address of a text: a sitemap behind a token
 * is named in histories, logs and messages, which more people read than may read the site. Other parameters stay: they say
 * which sitemap it is.
 */
export function maskQuery(text: string): string {
  return text.replace(
    PARAMETER,
    (_, name: string, value: string) => `${name}[secret]${CLOSING.exec(value)?.[0] ?? ''}`,
  );
}
