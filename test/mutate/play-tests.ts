/** Runs test files in this process, with one change or with none: started by units.ts. */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../suites.ts';
import { loadChange } from './load-change.ts';
import type { TestsToPlay } from './units.ts';

const { change, tests } = JSON.parse(process.env.COURIER_MUTATE!) as TestsToPlay;
delete process.env.COURIER_MUTATE;
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, String(Math.round((user + system) / 1_000)));
});
if (change !== null) loadChange(change);
for (const file of tests) await import(pathToFileURL(join(ROOT, file)).href);
