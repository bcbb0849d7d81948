import { getHeader, type ResponseHeaders } from './headers.ts';

/** A link and its parameters: `<https://a.example/jobs?page=2>; rel="next"`. */
const LINK = /<[^<>]*>((?:\s*;\s*[^\s=;,"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const PARAMETER = /;\s*([^\s=;,"]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/**
 * Whether a response names a next page in its Link header (RFC 8288). Its address is not followed: the key goes to no address
 * that a response names, and the specification has page numbers (4.5). A header without one proves nothing: it may
 * name other links.
 */
export function hasNextLink(headers: ResponseHeaders): boolean {
  const header = getHeader(headers, 'link');
  if (header === null) return false;
  return [...header.matchAll(LINK)].some(([, parameters = '']) =>
    [...parameters.matchAll(PARAMETER)].some(
      ([, name, quoted, bare]) =>
        name?.toLowerCase() === 'rel' && (quoted ?? bare ?? '').toLowerCase().split(/\s+/).includes('next'),
    ),
  );
}
