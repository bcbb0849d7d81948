import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_TERMINAL_STATES, decideStateMove, isKnownState, isOver } from './states.ts';

const moves: [recorded: string, reported: string, ofOpen: string, ofOver: string][] = [
  ['queued', 'queued', 'same', 'same'],
  ['queued', 'processing', 'moved', 'refused'],
  ['processing', 'queued', 'moved', 'refused'],
  ['partial', 'processing', 'moved', 'refused'],
  ['partial', 'completed', 'moved', 'refused'],
  ['partial', 'failed', 'moved', 'refused'],
  ['failed', 'completed', 'moved', 'refused'],
  ['completed', 'reviewing', 'moved', 'refused'],
  ['completed', 'completed', 'same', 'same'],
];
describe('decideStateMove', () => {
  for (const [state, reported, ofOpen, ofOver] of moves) {
    test(`${state} then ${reported}: ${ofOpen} while the job is open, ${ofOver} once it is over`, () => {
      assert.equal(decideStateMove({ state, over: false }, reported), ofOpen);
      assert.equal(decideStateMove({ state, over: true }, reported), ofOver);
    });
  }
});

describe('isOver', () => {
  const rows: [state: string, openUrls: number, quietPolls: number, over: boolean, terminalStates?: string[]][] = [
    ['queued', 0, 0, false],
    ['processing', 0, 99, false],
    ['reviewing', 0, 99, false],
    ['completed', 5, 0, true],
    ['failed', 5, 0, true],
    ['partial', 0, 0, true],
    ['partial', 1, 0, false],
    ['partial', 1, 8, false],
    ['partial', 1, 9, true],
    ['partial', 1, Number.POSITIVE_INFINITY, true],
    ['partial', 0, 99, false, ['completed', 'failed']],
    ['cancelled', 1, 0, false, ['cancelled']],
    ['cancelled', 0, 0, true, ['cancelled']],
  ];
  for (const [state, openUrls, quietPolls, over, terminalStates = DEFAULT_TERMINAL_STATES] of rows) {
    const what = `${state} with ${openUrls} open URLs after ${quietPolls} polls without news`;
    test(`${what}, where ${terminalStates.join(', ')} are terminal: ${over}`, () => {
      assert.equal(isOver({ state, openUrls, quietPolls, terminalStates }), over);
    });
  }
});

describe('isKnownState', () => {
  test('only states of the specification and of the account are known', () => {
    assert.equal(isKnownState('baking', DEFAULT_TERMINAL_STATES), false);
    assert.equal(isKnownState('baking', ['baking']), true);
    for (const state of ['queued', 'processing', 'completed']) assert.equal(isKnownState(state, []), true);
  });
});
