import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRedraw } from './redraw.ts';

describe('a page that is drawn again', () => {
  const open = (columns = 40, rows = 10) => {
    const written: string[] = [];
    const terminal = { columns, rows, write: (text: string) => written.push(text) > 0 };
    return { written, draw: createRedraw(terminal as never) };
  };

  test('clears the screen once, and then writes the lines that changed, each in its place', () => {
    const { written, draw } = open();
    draw(['one', 'two', 'three']);
    draw(['one', 'TWO', 'three']);
    assert.match(written[0] ?? '', /^\x1b\[H\x1b\[2J/);
    assert.equal(written[1], '\x1b[2;1HTWO\x1b[K\x1b[4;1H');
  });

  test('writes nothing while nothing changes', () => {
    const { written, draw } = open();
    draw(['one']);
    draw(['one']);
    assert.equal(written.length, 1);
  });

  test('removes the lines that are no longer there, and cuts what does not fit', () => {
    const { written, draw } = open(5, 3);
    draw(['a long line', 'b', 'c', 'd']);
    draw(['x']);
    assert.match(written[0] ?? '', /a lo…\x1b\[K/);
    assert.match(written[0] ?? '', /\x1b\[3;1H… en…/);
    assert.equal(written[1], '\x1b[1;1Hx\x1b[K\x1b[2;1H\x1b[J\x1b[2;1H');
  });
});
