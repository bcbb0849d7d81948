const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Decodes the five entities of XML and numeric references, once. Everything else is kept: a raw `&` in a query string,
 * `&nbsp;`, a reference that is not a character. `onStray` is called for each of those. Two references that are the halves
 * of a surrogate pair are one character: escapers of JavaScript, Java and .NET write emoji so.
 */
export function decodeEntities(text: string, onStray: (entity: string) => void): string {
  let from = text.indexOf('&');
  if (from === -1) return text;
  let decoded = '';
  let done = 0;
  while (from !== -1) {
    const found = findReference(text, from);
    if (found === null) {
      onStray(text.slice(from, from + 12));
      from = text.indexOf('&', from + 1);
      continue;
    }
    decoded += text.slice(done, from) + found.character;
    done = found.end;
    from = text.indexOf('&', done);
  }
  return decoded + text.slice(done);
}

interface Reference {
  readonly character: string;
  /** The index behind it. */
  readonly end: number;
}

/** The reference that begins at `at`; null for other text. */
function findReference(text: string, at: number): Reference | null {
  const end = text.indexOf(';', at) + 1;
  if (end === 0 || end - at > 13) return null;
  const name = text.slice(at + 1, end - 1);
  if (name.charCodeAt(0) !== 0x23) return Object.hasOwn(NAMED, name) ? { character: NAMED[name] ?? '', end } : null;
  const code = parseCode(name);
  if (isXmlCharacter(code)) return { character: String.fromCodePoint(code), end };
  const other = code >= 0xd800 && code <= 0xdbff ? LOW_HALF.exec(text.slice(end, end + 12)) : null;
  return other === null
    ? null
    : { character: String.fromCharCode(code, parseCode(other[1] ?? '')), end: end + other[0].length };
}

/** A reference to U+DC00 to U+DFFF. */
const LOW_HALF = /^&(#x0*d[c-f][\da-f]{2}|#0*(?:563[2-9]\d|56[4-9]\d\d|57[0-2]\d\d|573[0-3]\d|5734[0-3]));/i;

/** The code of `#233` or `#xE9`; NaN for anything else. */
function parseCode(name: string): number {
  if (/^#\d+$/.test(name)) return Number.parseInt(name.slice(1), 10);
  return /^#x[\da-f]+$/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.NaN;
}

/** Char of XML 1.0: no control characters, no surrogates, nothing past Unicode. */
function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}
