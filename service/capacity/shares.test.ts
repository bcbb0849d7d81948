import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accountShare, Shares } from './shares.ts';

describe('Shares', () => {
  test('invented keys of one address have one share together', () => {
    const shares = new Shares();
    const found = new Set(Array.from({ length: 100 }, (_, index) => shares.find(`usk_${index}`, '192.0.2.1')));
    assert.equal(found.size, 1);
    assert.notEqual(shares.find('usk_1', '192.0.2.2'), shares.find('usk_1', '192.0.2.1'));
    assert.equal(shares.find(null, '2001:db8::1'), shares.find('x', '2001:db8::2'), 'one line has a whole network');
  });

  test('all keys of an account have its share, from any address', () => {
    const shares = new Shares();
    assert.equal(shares.remember('first', 7), accountShare(7));
    shares.remember('second', 7);
    assert.equal(shares.find('first', '192.0.2.1'), shares.find('second', '192.0.2.2'));
  });

  test('the keys used last are remembered', () => {
    const shares = new Shares(2);
    shares.remember('old', 1);
    shares.remember('used', 2);
    shares.remember('old', 1);
    shares.remember('new', 3);
    assert.equal(shares.find('old', 'a'), accountShare(1));
    assert.notEqual(shares.find('used', 'a'), accountShare(2));
  });
});
