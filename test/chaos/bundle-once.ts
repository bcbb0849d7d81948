/** Loaded before a program of a fault schedule: its workflow code is read from where `quickStarts` put it. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { WorkflowCodeBundler } from '@temporalio/worker/lib/workflow/bundler.js';

const bundles = process.env.COURIER_TEST_BUNDLES;
const program = process.argv.slice(1).join(' ');

if (bundles !== undefined && /src\/cli\/main\.ts worker|processing\/bundle\.ts/.test(program)) {
  const { toBundleFile: bundleFile } = await import('./bundle-file.ts');
  const worker = createRequire(import.meta.url)('@temporalio/worker/lib/workflow/bundler.js') as {
    readonly WorkflowCodeBundler: typeof WorkflowCodeBundler;
  };
  const { prototype } = worker.WorkflowCodeBundler;
  const bundled = prototype.createBundle;
  prototype.createBundle = async function (this: WorkflowCodeBundler) {
    const file = bundleFile(bundles, this.workflowsPath);
    return existsSync(file) ? { code: readFileSync(file, 'utf8'), sourceMap: '' } : bundled.call(this);
  };
}
