import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseWellFormed } from './feed-parser.ts';
import { type MarkupHandler, scanMarkup } from './feed-scanner.ts';

/** What a reader hands over, with neighbouring texts joined and a self-closing tag written as two. */
function record(read: (handler: MarkupHandler) => unknown): { readonly result: unknown; readonly events: string[] } {
  const events: string[] = [];
  const add = (event: string) => {
    const last = events.at(-1);
    if (event.startsWith('text ') && last?.startsWith('text ')) events[events.length - 1] = last + event.slice(5);
    else events.push(event);
  };
  const result = read({
    open(name, attributes, isSelfClosing) {
      add(`open ${name} ${attributes.trim().replace(/\s*\/$/, '')}`);
      if (isSelfClosing) add(`close ${name}`);
    },
    close: (name) => add(`close ${name}`),
    text: (text, isCdata) => add(isCdata ? `cdata ${text}` : `text ${text}`),
    damage: (what) => add(`damage ${what}`),
  });
  return { result, events: events.filter((event) => event.trim() !== 'text') };
}

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const text = fc.stringMatching(/^[a-z &;.,äü]{0,12}$/).map((each) => each.replaceAll('&', '&amp;'));
const element = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    text,
    word.map((name) => `<${name}/>`),
    fc.tuple(word, word, text).map(([name, key, value]) => `<${name} ${key}="${value}">${value}</${name}>`),
    text.map((each) => `<![CDATA[${each}<b>]]>`),
    fc.tuple(word, fc.array(tie('node'), { maxLength: 4 })).map(([n, inner]) => `<${n}>${inner.join('')}</${n}>`),
  ),
})).node;

describe('parseWellFormed', () => {
  test('a well-formed feed yields the same markup as the scanner', () => {
    const document = fc
      .array(element, { maxLength: 5 })
      .map((inner) => `<?xml version="1.0"?><rss>${inner.join('')}</rss>`);
    fc.assert(
      fc.property(document, (feed) => {
        const parsed = record((handler) => parseWellFormed(feed, handler));
        const scanned = record((handler) => scanMarkup(feed, handler));
        assert.equal(parsed.result, true, feed);
        assert.deepEqual(parsed.events, scanned.events, feed);
      }),
      { numRuns: 500 },
    );
  });

  for (const [what, feed] of [
    ['an unclosed element', '<rss><channel><item></channel></rss>'],
    ['a raw ampersand in a tag that never ends', '<rss><item a="1" <b></rss>'],
    ['a document type', '<!DOCTYPE rss><rss></rss>'],
    ['a name that the library refuses', '<rss><item><__proto__>1</__proto__></item></rss>'],
  ] as const) {
    test(`${what} is left to the scanner, with nothing handed over`, () => {
      assert.deepEqual(
        record((handler) => parseWellFormed(feed, handler)),
        { result: false, events: [] },
      );
    });
  }
});
