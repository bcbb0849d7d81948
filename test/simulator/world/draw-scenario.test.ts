import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { drawScenario } from './draw-scenario.ts';
import { SEQUENCES } from './sequences/index.ts';

/** The seeds that CI plays on every commit. */
function listCiSeeds(): readonly number[] {
  const text = readFileSync(new URL('../../../.ci/run', import.meta.url), 'utf8');
  const [, from, count] = /simulate -- --kind mixed --from (\d+) --seeds (\d+)\n/.exec(text) ?? [];
  return Array.from({ length: Number(count) }, (_, n) => Number(from) + n);
}

describe('the seeds of CI', () => {
  const scenarios = listCiSeeds().map((seed) => drawScenario(seed, 'mixed'));

  test('play every sequence, so that no defect comes back that one of them has shown', () => {
    const played = new Set<string>(scenarios.flatMap(({ acts }) => acts.map(({ kind }) => kind)));
    const missing = Object.keys(SEQUENCES).filter((name) => !played.has(name));
    assert.deepEqual(missing, []);
  });

  test('are of every kind', () => {
    const count = (is: (scenario: (typeof scenarios)[number]) => boolean) => scenarios.filter(is).length;
    assert.ok(count(({ habits = [] }) => habits.length > 0) >= 20, 'people');
    assert.ok(count(({ features }) => features !== undefined) >= 20, 'paired');
    assert.ok(count(({ second, services }) => second !== undefined && services === undefined) >= 20, 'varied');
    assert.ok(count(({ services }) => services !== undefined) >= 20, 'service');
    assert.ok(count(({ isFocused = false }) => isFocused) >= 100, 'focused');
    assert.ok(count(({ isFocused, isSequence }) => isFocused !== true && isSequence !== true) >= 40, 'usual and small');
  });
});
