import { CHAR } from '../../url/characters.ts';

/** The markup continues in the next block. */
export const INCOMPLETE = -1;

/** A name begins with a letter, `_`, `:` or anything beyond ASCII (a byte of it, here). */
export const isNameStart = (code: number) =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code === 0x3a || code >= 0x80;

/**
 * Returns the index after the `>` that ends a tag, searching from anywhere after its name, or INCOMPLETE. A `<` before it
 * means that the tag never ended: then the result is `-2 - index` of that `<`. This holds inside quotes too, where XML
 * forbids `<`, so a lost quote costs one tag and not the rest of the document.
 */
export function tagEnd(text: string, from: number): number {
  const end = text.length;
  let nextTag: number | undefined;
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === CHAR.gt) return at + 1;
    if (code === CHAR.lt) return -2 - at;
    if (code !== CHAR.quote && code !== CHAR.apostrophe) continue;
    const closing = text.indexOf(code === CHAR.quote ? '"' : "'", at + 1);
    nextTag ??= text.indexOf('<', at + 1);
    if (nextTag !== -1 && (closing === -1 || nextTag < closing)) return -2 - nextTag;
    if (closing === -1) return INCOMPLETE;
    at = closing;
  }
  return INCOMPLETE;
}

/** The attributes of a tag, undecoded. Of two with the same name, the first. */
export function parseAttributes(tag: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name, double, single] of tag.matchAll(/\s([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (name !== undefined && !found.has(name)) found.set(name, double ?? single ?? '');
  }
  return found;
}
