import { CHAR } from '../../url/characters.ts';
import { refuseDoctype } from './doctype.ts';
import { INCOMPLETE, isNameStart, tagEnd } from './markup.ts';

/** Receives the markup of a document in order. Positions are indexes in the text. */
export interface MarkupHandler {
  /** A start tag. `attributes` is the text after the name. */
  open(name: string, attributes: string, isSelfClosing: boolean, at: number): void;
  close(name: string, at: number): void;
  /** Text between tags, undecoded, or the content of a CDATA section. */
  text(text: string, isCdata: boolean, at: number): void;
  /** Markup that never ends; the scan goes on at the next `<`. */
  damage(what: string, at: number): void;
}

/**
 * Reads the markup of a whole document from `<` to `<`. Damage costs one tag: nothing is matched or nested here. Returns
 * false when the text ends inside of a tag, comment or section.
 */
export function scanMarkup(text: string, handler: MarkupHandler): boolean {
  let at = 0;
  while (at < text.length) {
    const lt = text.indexOf('<', at);
    if (lt !== at) handler.text(text.slice(at, lt === -1 ? text.length : lt), false, at);
    if (lt === -1) return true;
    const next = readMarkup(text, lt, handler);
    if (next === INCOMPLETE) return false;
    at = next;
  }
  return true;
}

function readMarkup(text: string, lt: number, handler: MarkupHandler): number {
  const code = text.charCodeAt(lt + 1);
  if (code === CHAR.slash || isNameStart(code)) return readTag(text, lt, handler);
  if (code === CHAR.question) return findAfter('?>', text, lt + 2);
  if (code === CHAR.bang) return readDeclaration(text, lt, handler);
  // A "<" that begins no tag is text.
  handler.text('<', false, lt);
  return lt + 1;
}

function readTag(text: string, lt: number, handler: MarkupHandler): number {
  const isEnd = text.charCodeAt(lt + 1) === CHAR.slash;
  NAME.lastIndex = lt + (isEnd ? 2 : 1);
  const name = NAME.exec(text)?.[0] ?? '';
  const end = tagEnd(text, NAME.lastIndex === 0 ? lt + 2 : NAME.lastIndex);
  if (end === INCOMPLETE) return INCOMPLETE;
  if (end < 0) {
    handler.damage(`a tag that never ends: <${name.slice(0, 40)}`, lt);
    return -2 - end;
  }
  if (isEnd) handler.close(name, lt);
  else {
    const isSelfClosing = text.charCodeAt(end - 2) === CHAR.slash;
    handler.open(name, text.slice(lt + 1 + name.length, end - 1), isSelfClosing, lt);
  }
  return end;
}

function readDeclaration(text: string, lt: number, handler: MarkupHandler): number {
  if (text.startsWith('<!--', lt)) return findAfter('-->', text, lt + 4);
  if (text.startsWith('<![CDATA[', lt)) {
    const end = text.indexOf(']]>', lt + 9);
    if (end === -1) return INCOMPLETE;
    handler.text(text.slice(lt + 9, end), true, lt);
    return end + 3;
  }
  if (/^<!doctype/i.test(text.slice(lt, lt + 9))) return refuseDoctype(text, lt);
  handler.damage('a declaration that is not allowed here', lt);
  return lt + 2;
}

function findAfter(mark: string, text: string, from: number): number {
  const end = text.indexOf(mark, from);
  return end === -1 ? INCOMPLETE : end + mark.length;
}

const NAME = /[^\s/><]+/y;
