/** Response headers: names in lower case; a repeated header is an array. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The value of a header, or null. A repeated header reads as one list (RFC 9110 5.3). */
export function getHeader(headers: ResponseHeaders, name: string): string | null {
  const value = headers[name];
  if (value === undefined) return null;
  return typeof value === 'string' ? value : value.join(', ');
}
