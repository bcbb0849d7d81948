import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Block } from './block.ts';
import { Place } from './place.ts';

describe('a place in a document', () => {
  test('an index of its text is an index of its bytes, and characters are decoded where they are asked for', () => {
    const place = new Place();
    place.block = new Block(Buffer.from('<a>çay</a>'));
    const from = place.text.indexOf('>') + 1;
    const to = place.text.indexOf('</');
    assert.equal(to - from, 4);
    assert.equal(place.decode(from, to), 'çay');
    assert.equal(place.decode(0, from), '<a>');
  });
});
