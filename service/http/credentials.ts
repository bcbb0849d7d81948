import type { IncomingMessage } from 'node:http';

const BEARER = /^Bearer +([^ ]+) *$/i;

/**
 * The API key that a request carries: `Authorization: Bearer KEY` (in any letter case) or `X-API-Key: KEY`, equivalent
 * (spec 5). Null when there is none, when one of the two is malformed or repeated, or when both differ.
 */
export function keyFrom({ headers, rawHeaders }: IncomingMessage): string | null {
  const { authorization, 'x-api-key': header } = headers;
  if (authorization === undefined) return typeof header === 'string' && header !== '' ? header : null;
  const bearer = BEARER.exec(authorization)?.[1];
  if (bearer === undefined || isRepeated(rawHeaders)) return null;
  return header === undefined || header === bearer ? bearer : null;
}

/** Node keeps the first of several Authorization headers: which one counts must not depend on that. */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 13 && name.toLowerCase() === 'authorization') count++;
  }
  return count > 1;
}
