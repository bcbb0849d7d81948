import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { WorkflowBundle, WorkflowBundleOption } from '@temporalio/worker';
import { findStoredBundle, type StoredBundle, storeBundle } from './bundle-store.ts';
import { TRACED_WORKFLOW_MODULES } from './tracing.ts';

/** The file that `npm run build` writes beside the index of workflows, so that an installed package bundles nothing. */
export const PREBUILT_BUNDLE = 'workflow-bundle.js';
/** The same code with the interceptors that write traces. */
export const PREBUILT_TRACED_BUNDLE = 'workflow-bundle-traced.js';

/** Where a checkout keeps bundles between processes. */
const STORE = fileURLToPath(new URL('../../node_modules/.cache/sitemap-courier', import.meta.url));

/** Without encryption it does what the SDK's own does. */
const FAILURES = fileURLToPath(new URL('./workflow-failures.ts', import.meta.url));

const run = promisify(execFile);
const bundles = new Map<string, Promise<WorkflowBundle>>();

/**
 * The workflow code of a file for the sandbox: made in a process of its own (two to three seconds), and kept on disk until
 * one of the files in it changes.
 */
export function bundleWorkflows(
  workflowsPath: string,
  { traced = false, store = STORE }: { readonly traced?: boolean; readonly store?: string } = {},
): Promise<WorkflowBundle> {
  const args = [workflowsPath, FAILURES, ...(traced ? resolveTracedModules() : [])];
  const key = createHash('sha256').update(args.join('\n')).digest('hex').slice(0, 16);
  const bundled = bundles.get(key) ?? findOrMake(args, join(store, `workflows-${key}.json`));
  bundles.set(key, bundled);
  // The next caller tries again.
  bundled.catch(() => bundles.delete(key));
  return bundled;
}

async function findOrMake(args: readonly string[], file: string): Promise<WorkflowBundle> {
  const stored = findStoredBundle(file);
  if (stored !== null) return { code: stored.code };
  const program = fileURLToPath(new URL('./make-bundle.ts', import.meta.url));
  const { stdout } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const made = JSON.parse(stdout) as StoredBundle;
  storeBundle(file, made);
  return { code: made.code };
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
