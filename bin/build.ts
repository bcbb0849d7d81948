/**
 * npm run build: the package's JavaScript in dist/, with source maps, the types of what the package exports, and the
 * prebuilt workflow bundles. Node strips no types below node_modules, so an installed package cannot run its sources. `npm pack` runs it by itself.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { PREBUILT_BUNDLE, PREBUILT_TRACED_BUNDLE, resolveTracedModules } from '../src/temporal/workflow-code.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
const compiled = spawnSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '--project', join(root, 'tsconfig.build.json')],
  { stdio: 'inherit' },
);
if (compiled.status !== 0) process.exit(compiled.status ?? 1);

// What the programs print as their version, and which packages traces need; Node also learns from it that these files are
// ES modules.
const { name, version, type, peerDependencies, exports } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as Record<string, unknown> & { exports: { './client': { types: string } } };
removeTypesExcept(join(root, exports['./client'].types));
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ name, version, type, peerDependencies }, null, 2)}\n`);

await bundle('workflows', PREBUILT_BUNDLE);
await bundle('workflows', PREBUILT_TRACED_BUNDLE, resolveTracedModules());
await bundle('service/processing/workflows', PREBUILT_BUNDLE);

async function bundle(folder: string, file: string, workflowInterceptorModules: string[] = []): Promise<void> {
  const workflowsPath = join(root, folder, 'index.ts');
  const logger = new DefaultLogger('WARN');
  const failureConverterPath = join(root, 'src/temporal/workflow-failures.ts');
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    failureConverterPath,
    logger,
    workflowInterceptorModules,
  });
  writeFileSync(join(dist, folder, file), code);
}

/** Leaves the declarations that `entry` reaches: nobody can import the other ones. */
function removeTypesExcept(entry: string): void {
  const reached = new Set([entry]);
  for (const file of reached)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g))
      reached.add(resolve(file, '..', `${path}.d.ts`));
  for (const file of globSync('**/*.d.ts', { cwd: dist })) if (!reached.has(join(dist, file))) rmSync(join(dist, file));
}
