import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeScenario } from './describe.ts';
import { drawScenario } from './draw-scenario.ts';

describe('the schedule that is shown', () => {
  test('each act says when it begins, for how long it lasts, and what state of a batch it waits for', () => {
    const scenario = drawScenario(1, 'focused');
    const act = { at: 61_000, kind: 'lower cap', forMs: 5_000, salt: 1, moment: 'nothing is taken' } as const;
    const run = { at: 0, kind: 'run', forMs: 0, salt: 1 } as const;
    const shown = describeScenario({ ...scenario, acts: [run, act] });
    assert.deepEqual(shown.slice(-2), ['0 s: run', '61 s: lower cap, at the moment "nothing is taken", for 5 s']);
  });
});
