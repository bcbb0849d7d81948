import { SitemapError } from '../problems.ts';

/** Bytes that are enough to find a byte order mark and an XML declaration. */
export const ENCODING_HEAD = 2_048;

/** What a document and its server claim about its encoding. Labels are those of the WHATWG Encoding Standard. */
export interface EncodingClaim {
  /** Certain: a byte order mark, or the zero bytes of UTF-16. */
  readonly certain?: { readonly label: string; readonly markBytes: number };
  /** The XML declaration, if its encoding can be read here. */
  readonly declared?: string;
  /** The charset of the HTTP header, if it is known. */
  readonly sent?: string;
  /** The XML declaration as written, when it names UTF-16 and the bytes are not UTF-16. */
  readonly misnamed?: string;
}

/** Reads the claims from the first ENCODING_HEAD bytes. Throws UNSUPPORTED_ENCODING. */
export function readEncodingClaim(bytes: Buffer, contentType: string | undefined): EncodingClaim {
  const head = bytes.subarray(0, ENCODING_HEAD);
  const certain = findByteOrderMark(head) ?? findUtf16Shape(head);
  if (certain !== undefined) return { certain };
  const written = /^[^<]{0,512}<\?xml[^>]{0,512}?\bencoding\s*=\s*["']([^"']{1,40})["']/i.exec(
    head.toString('latin1', 0, 1_200),
  )?.[1];
  const sent = findSentLabel(contentType);
  const declared = written === undefined ? undefined : findEncodingLabel(written);
  if (written !== undefined && declared === undefined && sent === undefined) {
    throw new SitemapError('UNSUPPORTED_ENCODING', `the document declares the encoding "${written}", which is unknown`);
  }
  return {
    ...(declared === undefined || isUtf16(declared) ? {} : { declared }),
    ...(sent === undefined || isUtf16(sent) ? {} : { sent }),
    ...(written !== undefined && declared !== undefined && isUtf16(declared) ? { misnamed: written } : {}),
  };
}

/** The encoding that a Content-Type names; undefined for none that is known. */
export function findSentLabel(contentType: string | undefined): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1];
  return charset === undefined ? undefined : findEncodingLabel(charset);
}

function findByteOrderMark(head: Buffer): EncodingClaim['certain'] {
  const hex = head.toString('hex', 0, 4);
  if (hex.startsWith('efbbbf')) return { label: 'utf-8', markBytes: 3 };
  if (hex === 'fffe0000' || hex === '0000feff' || hex === '0000003c' || hex === '3c000000') {
    throw new SitemapError('UNSUPPORTED_ENCODING', 'the document is in UTF-32, which is not supported');
  }
  if (hex === '4c6fa794') {
    throw new SitemapError('UNSUPPORTED_ENCODING', 'the document is in EBCDIC, which is not supported');
  }
  if (hex.startsWith('fffe')) return { label: 'utf-16le', markBytes: 2 };
  if (hex.startsWith('feff')) return { label: 'utf-16be', markBytes: 2 };
  return undefined;
}

/** A sitemap begins with ASCII characters, so in UTF-16 without a mark every other byte is zero. */
function findUtf16Shape(head: Buffer): EncodingClaim['certain'] {
  if (head.length < 4) return undefined;
  const [a, b, c, d] = [head[0] !== 0, head[1] !== 0, head[2] !== 0, head[3] !== 0];
  if (a && !b && c && !d) return { label: 'utf-16le', markBytes: 0 };
  if (!a && b && !c && d) return { label: 'utf-16be', markBytes: 0 };
  return undefined;
}

const isUtf16 = (label: string) => label.startsWith('utf-16');

/** The standard's own label, or undefined for an unknown one. ASCII is read as UTF-8, which includes it. */
function findEncodingLabel(name: string): string | undefined {
  if (/^(us-?)?ascii$/i.test(name)) return 'utf-8';
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}
