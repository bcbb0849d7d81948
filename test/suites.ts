import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MODULES = ['activities', 'bench', 'contract', 'service', 'src', 'test', 'workflows'];

/** Needs a process of its own, a Temporal server or a browser. */
export const isSystemTest = (file: string): boolean =>
  file.endsWith('.system.test.ts') || /^test\/(chaos|e2e|replay)\//.test(file);

/** The test files of the tree, relative to its root. `quick`: those that are no system tests. */
export function listTests(kind: 'quick' | 'all'): string[] {
  const files = globSync(
    MODULES.map((name) => `${name}/**/*.test.ts`),
    { cwd: ROOT },
  ).map((file) => file.replaceAll('\\', '/'));
  return files.filter((file) => kind === 'all' || !isSystemTest(file)).toSorted();
}
