import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Url } from '../url/normalize-url.ts';
import { PageLines } from './page-lines.ts';

const makeUrl = (n: number) => `https://shop.example/${n}/${'x'.repeat(n % 300)}` as Url;

describe('pages as lines', () => {
  test('keep the order of pages from bytes and from texts, beyond the room of one event', () => {
    const lines = new PageLines();
    const expected: string[] = [];
    for (let n = 0; n < 2_000; n += 1) {
      const url = makeUrl(n);
      expected.push(`${url}\n`);
      if (n % 3 === 0) lines.addText(url);
      else lines.add({ bytes: Buffer.from(`<loc>${url}</loc>`), from: 5, to: 5 + url.length });
    }
    const { pages, bytes } = lines.take();
    assert.equal(pages, 2_000);
    assert.equal(bytes.toString('latin1'), expected.join(''));
    assert.equal(lines.pages, 0);
  });

  test('stay as they were taken until they are released, and their memory is used again', () => {
    const lines = new PageLines();
    lines.addText(makeUrl(1));
    const first = lines.take();
    lines.addText(makeUrl(2));
    const second = lines.take();
    assert.equal(first.bytes.toString('latin1'), `${makeUrl(1)}\n`);
    assert.equal(second.bytes.toString('latin1'), `${makeUrl(2)}\n`);
    first.release();
    lines.addText(makeUrl(3));
    const third = lines.take();
    assert.equal(third.bytes.buffer, first.bytes.buffer);
    assert.equal(third.bytes.toString('latin1'), `${makeUrl(3)}\n`);
  });
});
