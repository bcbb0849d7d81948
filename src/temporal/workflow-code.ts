import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  bundleWorkflowCode,
  DefaultLogger,
  type WorkflowBundleOption,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';

/** The file that `npm run build` writes beside the index of workflows, so that an installed package bundles nothing. */
export const PREBUILT_BUNDLE = 'workflow-bundle.js';

const bundles = new Map<string, Promise<WorkflowBundleWithSourceMap>>();

/** Bundles the workflow code of a file for the sandbox, once per process (about a second). */
export function bundleWorkflows(workflowsPath: string): Promise<WorkflowBundleWithSourceMap> {
  const bundled =
    bundles.get(workflowsPath) ?? bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  bundles.set(workflowsPath, bundled);
  return bundled;
}

/** The bundle that lies in the folder of workflows, or null in a checkout, where it is made when it is needed. */
export function findPrebuiltBundle(folder: URL): Extract<WorkflowBundleOption, { codePath: string }> | null {
  const codePath = fileURLToPath(new URL(PREBUILT_BUNDLE, folder));
  return existsSync(codePath) ? { codePath } : null;
}
