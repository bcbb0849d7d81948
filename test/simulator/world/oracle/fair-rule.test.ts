import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { About } from './breaches.ts';
import { FairRule, type Ready } from './fair-rule.ts';

const SMALL: Ready = { watch: 'news', urls: 10 };

/** Turns of a watch with batches of 100 URLs, each while these batches may be sent. */
function play(turns: readonly (readonly Ready[])[], watch = 'shop') {
  const found: About[] = [];
  const rule = new FairRule((_text, about) => found.push(about!));
  const lane = 'simulated fast';
  const send = (who: string, ready: readonly Ready[]) =>
    rule.sent({ lane, key: 'sc1-1', watch: who, urls: 100, ready });
  for (const ready of turns) send(watch, ready);
  return { found, send, hadTurn: (who: string) => rule.hadTurn(lane, who) };
}

describe('a small batch beside a watch with many', () => {
  test('goes after the turn that was given, and one by which the other may have been behind', () => {
    assert.deepEqual(play([[SMALL], [SMALL]]).found, []);
  });

  test('is passed over once more: a breach', () => {
    assert.deepEqual(play([[SMALL], [SMALL], [SMALL]]).found, [{ watch: 'news', beyond: 90 }]);
  });

  test('waits for something between: its time begins again', () => {
    assert.deepEqual(play([[SMALL], [SMALL], [], [SMALL], [SMALL]]).found, []);
  });

  test('has its turn between: its time begins again', () => {
    const { found, send } = play([[SMALL], [SMALL]]);
    send('news', []);
    for (let n = 0; n < 2; n++) send('shop', [SMALL]);
    assert.deepEqual(found, []);
  });

  test('has a turn between without a submission that left: its time begins again', () => {
    const { found, send, hadTurn } = play([[SMALL], [SMALL]]);
    hadTurn('news');
    send('shop', [SMALL]);
    assert.deepEqual(found, []);
    hadTurn('shop');
    for (let n = 0; n < 2; n++) send('shop', [SMALL]);
    assert.equal(found.length, 1, 'a turn of the other watch is none of its own');
  });

  test('may wait for a turn of each of the others', () => {
    const { found, send } = play([[SMALL], [SMALL]]);
    send('blog', [SMALL]);
    assert.deepEqual(found, []);
  });
});

test('a watch that has moved to another account may be one batch of the largest size ahead there', () => {
  const found: About[] = [];
  const rule = new FairRule((_text, about) => found.push(about!));
  rule.moved('news');
  const send = () => rule.sent({ lane: 'simulated fast', key: 'sc1-1', watch: 'shop', urls: 100, ready: [SMALL] });
  for (let n = 0; n < 2 + 25; n++) send();
  assert.deepEqual(found, []);
  send();
  assert.equal(found.length, 1);
});

test('a large batch waits for as many URLs as it has', () => {
  const large = { watch: 'news', urls: 1_000 };
  const seven = Array.from({ length: 7 }, () => [large]);
  assert.deepEqual(play(seven).found, []);
  assert.equal(play([...seven, [large]]).found.length, 1);
});
