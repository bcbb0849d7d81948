import { globSync } from 'node:fs';
import { ROOT } from '../suites.ts';

/** The modules of money, limits and guards. */
export const MODULES: readonly string[] = [
  'src/submission',
  'src/ledger/accounts',
  'src/ledger/pages',
  'src/ledger/plans',
  'src/ledger/money',
  'src/ledger/journal',
  'src/ledger/batches',
  'src/ledger/jobs',
  'src/ledger/index-checks',
  'src/ledger/runs',
  'src/ledger/crawl',
  'src/ledger/forgotten',
  'src/api-client/read',
  'src/connector',
  'src/rate-limit',
  'src/url',
  'activities',
  'workflows',
];

/** Their files, or those of the modules or files named, relative to the tree. */
export function listSources(named: readonly string[] = []): string[] {
  const all = MODULES.flatMap((name) => globSync(`${name}/**/*.ts`, { cwd: ROOT }))
    .map((file) => file.replaceAll('\\', '/'))
    // A migration never runs again where it ran; tests of its own compare the schema.
    .filter((file) => !file.endsWith('.test.ts') && !file.endsWith('/migrations.ts'))
    .toSorted();
  if (named.length === 0) return all;
  return all.filter((file) => named.some((name) => file === name || file.startsWith(`${name.replace(/\/$/, '')}/`)));
}
