/** Bundles the workflow code and writes it to stdout. A program of its own: what webpack needs (100 MB) ends with it. */
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('./workflows/index.ts', import.meta.url)),
  logger: new DefaultLogger('ERROR'),
});
process.stdout.write(code);
