import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeDecision } from './messages.ts';

describe('who decided', () => {
  for (const [what, given, says] of [
    ['a name and a note', { by: 'ayşe', note: 'relaunch' }, 'ayşe: relaunch'],
    ['a name', { by: 'ayşe' }, 'ayşe'],
    ['nothing', undefined, 'the Web UI, without a name'],
    ['null', null, 'the Web UI, without a name'],
    ['an empty form', {}, 'the Web UI, without a name'],
    ['a text alone', 'ayşe', 'ayşe'],
    ['an empty text', ' ', 'the Web UI, without a name'],
    ['a list', ['ayşe'], 'the Web UI, without a name'],
    ['a name that is a number', { by: 7, note: ['x'] }, 'the Web UI, without a name'],
  ] as const) {
    test(`${what}: ${says}`, () => assert.equal(describeDecision(given), says));
  }
});
