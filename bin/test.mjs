// npm test: types, lint, then every test against one Temporal server of its own. Ends with the runner's summary.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureDependencies, launch, root } from './checkout.mjs';

ensureDependencies();
const npx = (name, ...args) => {
  const run = spawnSync(process.execPath, [join(root, 'node_modules', name), ...args], { cwd: root, stdio: 'inherit' });
  if (run.status !== 0) process.exit(run.status ?? 1);
};
npx('typescript/bin/tsc', '--noEmit');
npx('@biomejs/biome/bin/biome', 'check', '.');
launch('test/run.ts', process.argv.slice(2));
