// npm test: types, lint, then what needs no server; with --all every test. With --files: those tests alone. See
// docs/contributing/testing.md.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureDependencies, root } from './checkout.mjs';
import { launch } from './launch.mjs';

const args = process.argv.slice(2);
if (args[0] === '--files' && args.length === 1) {
  process.stderr.write('Name the test files to run: npm run test:file -- src/url/scope.test.ts\n');
  process.exit(2);
}
ensureDependencies();
if (args[0] !== '--files') {
  check('typescript/bin/tsc', '--noEmit');
  check('@biomejs/biome/bin/biome', 'check', '.');
}
launch('test/run', args[0] === '--files' ? args.slice(1) : args);

function check(name, ...options) {
  const run = spawnSync(process.execPath, [join(root, 'node_modules', name), ...options], {
    cwd: root,
    stdio: 'inherit',
  });
  if (run.status !== 0) process.exit(run.status ?? 1);
}
