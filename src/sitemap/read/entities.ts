const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Decodes the five entities of XML and numeric references, once. Everything else is kept: a raw `&` in a query string,
 * `&nbsp;`, a reference that is not a character. `onStray` is called for each of those.
 */
export function decodeEntities(text: string, onStray: (entity: string) => void): string {
  let from = text.indexOf('&');
  if (from === -1) return text;
  let decoded = '';
  let done = 0;
  while (from !== -1) {
    const end = text.indexOf(';', from);
    const name = end === -1 || end - from > 12 ? undefined : text.slice(from + 1, end);
    const character = name === undefined ? undefined : decodeReference(name);
    if (character === undefined) {
      onStray(text.slice(from, from + 12));
      from = text.indexOf('&', from + 1);
      continue;
    }
    decoded += text.slice(done, from) + character;
    done = end + 1;
    from = text.indexOf('&', done);
  }
  return decoded + text.slice(done);
}

function decodeReference(name: string): string | undefined {
  if (name.charCodeAt(0) !== 0x23) return Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  const hex = /^#x([0-9a-f]+)$/i.exec(name)?.[1];
  const decimal = /^#([0-9]+)$/.exec(name)?.[1];
  const code = hex !== undefined ? Number.parseInt(hex, 16) : Number.parseInt(decimal ?? '', 10);
  return isXmlCharacter(code) ? String.fromCodePoint(code) : undefined;
}

/** Char of XML 1.0: no control characters, no surrogates, nothing past Unicode. */
function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}
