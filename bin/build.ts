/**
 * npm run build: the package's JavaScript in dist/, with source maps, types and the prebuilt workflow bundles. Node strips
 * no types below node_modules, so an installed package cannot run its sources. `npm pack` runs it by itself.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { PREBUILT_BUNDLE } from '../src/temporal/workflow-code.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
const compiled = spawnSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '--project', join(root, 'tsconfig.build.json')],
  { stdio: 'inherit' },
);
if (compiled.status !== 0) process.exit(compiled.status ?? 1);

// What the programs print as their version; Node also learns from it that these files are ES modules.
const { name, version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ name, version, type }, null, 2)}\n`);

for (const folder of ['workflows', 'service/processing/workflows']) {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, folder, 'index.ts'),
    logger: new DefaultLogger('WARN'),
  });
  writeFileSync(join(dist, folder, PREBUILT_BUNDLE), code);
}
