import { isUtf8 } from 'node:buffer';
import { SitemapError } from '../problems.ts';

export interface Encoding {
  /** A label of the WHATWG Encoding Standard; `utf-8` needs no decoder. */
  readonly label: string;
  /** Bytes of the byte order mark. */
  readonly skip: number;
  /** The document calls itself something that its bytes are not. */
  readonly misnamed?: string;
}

/**
 * How the bytes are to be read (RFC 7303): byte order mark, then the charset of the HTTP header, then the XML
 * declaration, then what the first bytes look like, then UTF-8. A claim that the bytes disprove is passed over.
 */
export function detectEncoding(head: Buffer, contentType: string | undefined): Encoding {
  const mark = byteOrderMark(head);
  if (mark !== undefined) return mark;
  const shape = utf16Shape(head);
  if (shape !== undefined) return { label: shape, skip: 0 };
  const declared = /^[^<]{0,512}<\?xml[^>]{0,512}?\bencoding\s*=\s*["']([^"']{1,40})["']/i.exec(
    head.toString('latin1', 0, 1_200),
  )?.[1];
  const sent = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1];
  const fromHeader = sent === undefined ? undefined : findEncodingLabel(sent);
  if (fromHeader !== undefined && !isUtf16(fromHeader) && !isDisproved(fromHeader, declared, head)) {
    return { label: fromHeader, skip: 0 };
  }
  if (declared === undefined) return { label: 'utf-8', skip: 0 };
  const label = findEncodingLabel(declared);
  if (label === undefined) {
    throw new SitemapError('UNSUPPORTED_ENCODING', `the document is in "${declared}", which cannot be read here`);
  }
  return isUtf16(label) ? { label: 'utf-8', skip: 0, misnamed: declared } : { label, skip: 0 };
}

function byteOrderMark(head: Buffer): Encoding | undefined {
  const hex = head.toString('hex', 0, 4);
  if (hex.startsWith('efbbbf')) return { label: 'utf-8', skip: 3 };
  if (hex === 'fffe0000' || hex === '0000feff' || hex === '0000003c' || hex === '3c000000') {
    throw new SitemapError('UNSUPPORTED_ENCODING', 'the document is in UTF-32, which cannot be read here');
  }
  if (hex === '4c6fa794')
    throw new SitemapError('UNSUPPORTED_ENCODING', 'the document is in EBCDIC, which cannot be read here');
  if (hex.startsWith('fffe')) return { label: 'utf-16le', skip: 2 };
  if (hex.startsWith('feff')) return { label: 'utf-16be', skip: 2 };
  return undefined;
}

/** A sitemap begins with characters of ASCII, so UTF-16 without a mark shows as every other byte zero. */
function utf16Shape(head: Buffer): string | undefined {
  if (head.length < 4) return undefined;
  const [a, b, c, d] = [head[0] !== 0, head[1] !== 0, head[2] !== 0, head[3] !== 0];
  if (a && !b && c && !d) return 'utf-16le';
  if (!a && b && !c && d) return 'utf-16be';
  return undefined;
}

const isUtf16 = (label: string) => label.startsWith('utf-16');

/** Servers add `charset=iso-8859-1` to everything; bytes that are UTF-8 beyond ASCII and say so are UTF-8. */
function isDisproved(fromHeader: string, declared: string | undefined, head: Buffer): boolean {
  if (fromHeader === 'utf-8' || declared === undefined || findEncodingLabel(declared) !== 'utf-8') return false;
  const whole = head.subarray(0, Math.max(0, head.lastIndexOf(0x3c)));
  return isUtf8(whole) && whole.some((byte) => byte >= 0x80);
}

/** The standard's own label; undefined for one that it does not know. ASCII is read as the UTF-8 that it is part of. */
function findEncodingLabel(name: string): string | undefined {
  if (/^(us-?)?ascii$/i.test(name)) return 'utf-8';
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

/** Turns bytes of an encoding into bytes of UTF-8, piece by piece. Undefined when there is nothing to turn. */
export function transcoder({ label }: Encoding): ((bytes: Buffer, last: boolean) => Buffer) | undefined {
  if (label === 'utf-8') return undefined;
  const decoder = new TextDecoder(label);
  return (bytes, last) => Buffer.from(decoder.decode(bytes, { stream: !last }));
}
