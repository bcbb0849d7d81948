import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_TERMINAL_STATES, decideStateMove, isKnownState } from './states.ts';

const rows: [known: string, seen: string, kind: string, terminal?: boolean][] = [
  ['queued', 'queued', 'same'],
  ['queued', 'processing', 'moved', false],
  ['queued', 'completed', 'moved', true],
  ['processing', 'partial', 'moved', true],
  ['processing', 'failed', 'moved', true],
  ['processing', 'queued', 'refused'],
  ['completed', 'failed', 'refused'],
  ['completed', 'processing', 'refused'],
  ['failed', 'completed', 'refused'],
  ['completed', 'completed', 'same'],
  ['queued', 'reviewing', 'moved', false],
  ['reviewing', 'processing', 'moved', false],
  ['reviewing', 'queued', 'moved', false],
  ['completed', 'reviewing', 'refused'],
];
for (const [known, seen, kind, terminal] of rows) {
  test(`${known} then ${seen}: ${kind}${terminal === true ? ', and that is the end' : ''}`, () => {
    const move = decideStateMove(known, seen, DEFAULT_TERMINAL_STATES);
    assert.equal(move.kind, kind);
    if (move.kind === 'moved') assert.equal(move.terminal, terminal);
  });
}

test('which states are the end is a setting', () => {
  assert.deepEqual(decideStateMove('processing', 'partial', ['completed', 'failed']), {
    kind: 'moved',
    state: 'partial',
    terminal: false,
  });
  assert.deepEqual(decideStateMove('partial', 'completed', ['completed', 'failed']), {
    kind: 'moved',
    state: 'completed',
    terminal: true,
  });
});

test('a state of the specification or of the account is known, every other one is not', () => {
  assert.equal(isKnownState('baking', DEFAULT_TERMINAL_STATES), false);
  assert.equal(isKnownState('baking', ['baking']), true);
  for (const state of ['queued', 'processing', 'completed']) assert.equal(isKnownState(state, []), true);
});
