import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_TERMINAL_STATES, decideStateMove, isKnownState } from './states.ts';

const rows: [recorded: string, reported: string, kind: string, terminal?: boolean][] = [
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
describe('decideStateMove', () => {
  for (const [recorded, reported, kind, terminal] of rows) {
    test(`${recorded} then ${reported}: ${kind}${terminal === true ? ', terminal' : ''}`, () => {
      const move = decideStateMove(recorded, reported, DEFAULT_TERMINAL_STATES);
      assert.equal(move.kind, kind);
      if (move.kind === 'moved') assert.equal(move.terminal, terminal);
    });
  }

  test('the terminal states are configurable', () => {
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

  test('only states of the specification and of the account are known', () => {
    assert.equal(isKnownState('baking', DEFAULT_TERMINAL_STATES), false);
    assert.equal(isKnownState('baking', ['baking']), true);
    for (const state of ['queued', 'processing', 'completed']) assert.equal(isKnownState(state, []), true);
  });
});
