import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import {
  bundleWorkflowCode,
  DefaultLogger,
  type WorkflowBundleOption,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { TRACED_WORKFLOW_MODULES } from './tracing.ts';

/** The file that `npm run build` writes beside the index of workflows, so that an installed package bundles nothing. */
export const PREBUILT_BUNDLE = 'workflow-bundle.js';
/** The same code with the interceptors that write traces. */
export const PREBUILT_TRACED_BUNDLE = 'workflow-bundle-traced.js';

const bundles = new Map<string, Promise<WorkflowBundleWithSourceMap>>();

/** Bundles the workflow code of a file for the sandbox, once per process (about a second). */
export function bundleWorkflows(
  workflowsPath: string,
  { traced = false }: { readonly traced?: boolean } = {},
): Promise<WorkflowBundleWithSourceMap> {
  const key = `${workflowsPath} ${traced}`;
  const bundled =
    bundles.get(key) ??
    bundleWorkflowCode({
      workflowsPath,
      logger: new DefaultLogger('ERROR'),
      ...(traced ? { workflowInterceptorModules: resolveTracedModules() } : {}),
    });
  bundles.set(key, bundled);
  return bundled;
}

/** Paths, because the bundler would look for the names beside the workflows. */
export const resolveTracedModules = (): string[] =>
  TRACED_WORKFLOW_MODULES.map((name) => createRequire(import.meta.url).resolve(name));

/** The bundle that lies in the folder of workflows, or null in a checkout, where it is made when it is needed. */
export function findPrebuiltBundle(
  folder: URL,
  { traced = false }: { readonly traced?: boolean } = {},
): Extract<WorkflowBundleOption, { codePath: string }> | null {
  const codePath = fileURLToPath(new URL(traced ? PREBUILT_TRACED_BUNDLE : PREBUILT_BUNDLE, folder));
  return existsSync(codePath) ? { codePath } : null;
}
