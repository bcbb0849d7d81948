import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SeedKind } from './world/draw-scenario.ts';

const run = promisify(execFile);
const SIMULATE = fileURLToPath(new URL('./simulate.ts', import.meta.url));

/** Rejects when a seed broke a rule. */
async function playSeeds(kind: SeedKind): Promise<string> {
  const args = ['--disable-warning=ExperimentalWarning', SIMULATE, '--kind', kind, '--seeds', '3', '--from', '1'];
  const { stdout } = await run(process.execPath, args);
  return /digest of all traces: (\w{64})/.exec(stdout)![1]!;
}

describe('the simulator', () => {
  for (const kind of ['usual', 'focused'] as const) {
    test(`plays ${kind} seeds without a broken rule, and the same trace every time, byte for byte`, async () => {
      const [once, again] = await Promise.all([playSeeds(kind), playSeeds(kind)]);
      assert.equal(once, again);
    });
  }
});
