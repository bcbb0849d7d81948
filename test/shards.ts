import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './suites.ts';

export interface Shards {
  readonly files: readonly string[];
  remove(): void;
}

/** One measures the memory of its process, which must hold nothing else; the others wait for most of their time. */
const ALONE = [
  'service/http/malformed-requests.test.ts',
  'service/storage-unavailable.test.ts',
  'src/sitemap/read/hostile.test.ts',
];

/**
 * Joins test files into so many that each load the modules once: a process for every file costs more than its tests. They
 * lie in a temporary folder, and failures name the real file.
 */
export function writeShards(tests: readonly string[], count: number): Shards {
  const folder = mkdtempSync(join(tmpdir(), 'courier-shards-'));
  const joined = tests.filter((file) => !ALONE.includes(file));
  const shards = Array.from({ length: Math.min(count, joined.length) }, (_, shard) => {
    const imports = joined
      .filter((_, n) => n % count === shard)
      .map((file) => `await import(${JSON.stringify(pathToFileURL(join(ROOT, file)).href)});\n`);
    const path = join(folder, `shard-${shard + 1}.mjs`);
    writeFileSync(path, imports.join(''));
    return path;
  });
  return {
    // The longest first, so that none of them is left over at the end.
    files: [...tests.filter((file) => ALONE.includes(file)), ...shards],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
