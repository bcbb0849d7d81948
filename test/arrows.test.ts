import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** The walls (docs/architecture.md): which room may import which. A room not listed here is a mistake. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  'src/url': ['contract'],
  'src/submission': ['contract', 'src/url'],
  'src/sitemap': ['contract', 'src/url'],
  'src/database': [],
  'src/ledger': ['contract', 'src/url', 'src/submission', 'src/database'],
  'src/api-client': ['contract', 'src/url', 'src/submission'],
  'src/config': ['contract', 'src/url', 'src/submission'],
  'src/observability': [],
  'src/notify': ['contract', 'src/observability'],
  'src/report': ['contract', 'src/url', 'src/submission', 'src/ledger'],
  workflows: ['contract', 'src/url', 'src/submission', 'activities (types)'],
  activities: [
    'contract',
    'src/url',
    'src/submission',
    'src/sitemap',
    'src/ledger',
    'src/api-client',
    'src/config',
    'src/observability',
    'src/notify',
    'workflows (types)',
    'workflows (names)',
  ],
  'src/temporal': ['contract', 'src/config', 'src/observability', 'src/submission', 'workflows', 'activities'],
  'src/cli': ['*'],
  'service/accounts': ['contract', 'src/database', 'service'],
  'service/submissions': ['contract', 'src/database', 'service'],
  'service/index-check': ['contract', 'src/database', 'service'],
  'service/processing': ['contract', 'src/database', 'src/temporal', 'service'],
  'service/http': ['contract', 'src/database', 'service'],
  'service/cli': ['contract', 'src/database', 'src/temporal', 'service'],
  service: ['contract', 'src/database', 'service'],
};
/** What a workflow is called and listens to: constants that both sides must share. */
const NAMES = ['workflows/ids.ts', 'workflows/messages.ts', 'workflows/search-attributes.ts'];
const PURE = ['contract', 'src/url', 'src/submission'];
const ROOMS = Object.keys(MAY_IMPORT).sort((a, b) => b.length - a.length);
const root = fileURLToPath(new URL('..', import.meta.url));

const roomOf = (file: string): string | undefined =>
  ROOMS.find((room) => file.startsWith(`${room}/`) && (room !== 'src' || file.split('/').length === 2));

function sources(): string[] {
  return ['contract', 'src', 'service', 'workflows', 'activities'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => `${folder}/${file.split(sep).join('/')}`),
  );
}

interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = text.matchAll(
    /^\s*(?:import|export)\s+(type\s)?[^'"`;]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm,
  );
  return [...found].map((match) => ({ specifier: (match[2] ?? match[3])!, typeOnly: match[1] !== undefined }));
}

/** What a file imports that its room may not; empty when all is well. */
function breaches(file: string, imports: readonly Import[]): string[] {
  const room = roomOf(file);
  if (room === undefined) return [`${file} lies in no room`];
  const allowed = MAY_IMPORT[room]!;
  if (allowed.includes('*')) return [];
  return imports.flatMap(({ specifier, typeOnly }) => {
    if (!specifier.startsWith('.')) {
      const io = /^node:(?!crypto$|buffer$|util$|assert)|^(undici|pg|fastify|pino)/.test(specifier);
      return io && PURE.includes(room) ? [`${file} is pure and imports ${specifier}`] : [];
    }
    const target = relative(root, resolve(root, dirname(file), specifier))
      .split(sep)
      .join('/');
    const other = roomOf(target);
    const fine =
      other === room ||
      (other === undefined && !target.includes('/')) ||
      allowed.some(
        (name) => other !== undefined && (other === name || (name === 'service' && other.startsWith('service/'))),
      ) ||
      (typeOnly && allowed.includes(`${other} (types)`)) ||
      (NAMES.includes(target) && allowed.includes(`${other} (names)`));
    return fine ? [] : [`${file} imports ${target}`];
  });
}

test('no room imports what the walls forbid', () => {
  const files = sources();
  assert.ok(files.length > 5, 'no sources found: this test would prove nothing');
  assert.deepEqual(
    files.flatMap((file) => breaches(file, importsOf(file))),
    [],
  );
});

test('a forbidden import would be seen', () => {
  const bad = [{ specifier: '../ledger/ledger.ts', typeOnly: false }];
  assert.equal(breaches('src/url/url.ts', bad).length, 1);
  assert.equal(breaches('src/submission/x.ts', [{ specifier: 'node:fs', typeOnly: false }]).length, 1);
  assert.equal(breaches('workflows/x.ts', [{ specifier: '../activities/crawl.ts', typeOnly: false }]).length, 1);
  assert.equal(breaches('workflows/x.ts', [{ specifier: '../activities/crawl.ts', typeOnly: true }]).length, 0);
  assert.equal(breaches('service/http/x.ts', [{ specifier: '../../src/ledger/x.ts', typeOnly: false }]).length, 1);
});
