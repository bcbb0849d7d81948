import { SitemapError } from '../problems.ts';
import { INCOMPLETE } from './markup.ts';

/**
 * Returns the index after the document type declaration at `lt`, or INCOMPLETE. A declaration that only names the document
 * is ignored, and nothing is fetched for it. One that declares entities is refused: no sitemap needs them, and they are
 * how entity bombs and file disclosure work.
 */
export function refuseDoctype(text: string, lt: number): number {
  if (/^<!doctype\s+html/i.test(text.slice(lt, lt + 60))) {
    throw new SitemapError('NOT_SITEMAP', 'the document is an HTML page');
  }
  const subset = text.indexOf('[', lt);
  const end = text.indexOf('>', lt);
  if (subset === -1 || (end !== -1 && end < subset)) return end === -1 ? INCOMPLETE : end + 1;
  const closing = /\]\s*>/g;
  closing.lastIndex = subset;
  const closed = closing.exec(text);
  const inner = text.slice(subset, closed?.index);
  if (/<!ENTITY|%/i.test(inner)) {
    throw new SitemapError('DOCTYPE_FORBIDDEN', 'the document declares entities; nothing of it was read');
  }
  return closed === null ? INCOMPLETE : closed.index + closed[0].length;
}
