import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { listSources, parseImports, resolveImport, root } from './support/imports.ts';

/**
 * Which module may import which, besides itself: the dependency rules that docs/explanation/architecture.md shows. The order is
 * from the bottom up: a module may only import modules above it in this list, so there is no cycle.
 */
const RULES: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  'src/files': [],
  'src/json-schema': [],
  'src/url': ['contract'],
  'src/submission': ['contract', 'src/url'],
  'src/sitemap': ['src/url'],
  'src/database': ['src/files'],
  'src/observability': ['contract', 'src/submission'],
  'src/config': ['contract', 'src/json-schema', 'src/url', 'src/submission'],
  'src/api-client': ['contract', 'src/submission'],
  'src/ledger/journal': ['contract', 'src/submission', 'src/database'],
  'src/ledger': ['contract', 'src/files', 'src/url', 'src/submission', 'src/database', 'src/ledger/journal'],
  'src/rate-limit': ['contract', 'src/submission', 'src/database', 'src/api-client'],
  'src/metrics': ['src/submission', 'src/observability', 'src/ledger', 'src/rate-limit'],
  'src/notify': ['contract', 'src/submission', 'src/observability', 'src/config', 'src/ledger/journal', 'src/ledger'],
  'src/report': ['contract', 'src/files', 'src/submission', 'src/config', 'src/ledger'],
  'src/temporal-api': ['contract', 'src/submission'],
  'src/temporal': ['src/files', 'src/submission', 'src/observability', 'src/temporal-api'],
  workflows: ['contract', 'src/submission', 'src/temporal-api'],
  activities: [
    'contract',
    'src/url',
    'src/submission',
    'src/sitemap',
    'src/config',
    'src/api-client',
    'src/database',
    'src/ledger',
    'src/rate-limit',
    'src/observability',
    'src/temporal-api',
  ],
  'src/connector': [
    'contract',
    'src/url',
    'src/submission',
    'src/sitemap',
    'src/config',
    'src/api-client',
    'src/database',
    'src/ledger/journal',
    'src/ledger',
    'src/rate-limit',
    'src/metrics',
    'src/notify',
    'src/report',
    'src/observability',
    'src/temporal-api',
    'src/temporal',
    'activities',
  ],
  'src/cli-kit': ['src/json-schema', 'src/observability'],
  'src/cli': [
    'contract',
    'src/files',
    'src/json-schema',
    'src/url',
    'src/submission',
    'src/sitemap',
    'src/config',
    'src/api-client',
    'src/database',
    'src/ledger/journal',
    'src/ledger',
    'src/observability',
    'src/notify',
    'src/report',
    'src/temporal-api',
    'src/temporal',
    'src/connector',
    'src/cli-kit',
  ],
  'service/settings-error': [],
  'service/required': [],
  'service/capacity': ['src/database'],
  'service/accounts': ['contract', 'src/database', 'service/capacity'],
  'service/submissions': ['contract', 'src/database', 'service/capacity', 'service/accounts', 'service/required'],
  'service/index-check': [
    'contract',
    'src/database',
    'service/capacity',
    'service/accounts',
    'service/submissions',
    'service/settings-error',
    'service/required',
  ],
  'service/processing': [
    'contract',
    'src/database',
    'service/capacity',
    'service/accounts',
    'service/settings-error',
    'src/temporal',
    'service/required',
  ],
  'service/settings': ['contract', 'src/database', 'service/capacity', 'service/index-check', 'service/processing'],
  'service/operations': [
    'contract',
    'src/database',
    'service/capacity',
    'service/settings',
    'service/accounts',
    'service/submissions',
  ],
  'service/metrics': ['contract', 'src/database'],
  'service/http': [
    'contract',
    'src/database',
    'service/settings-error',
    'service/capacity',
    'service/metrics',
    'service/settings',
    'service/accounts',
    'service/submissions',
    'service/index-check',
    'service/required',
  ],
  service: [
    'contract',
    'src/observability',
    'service/operations',
    'service/metrics',
    'src/database',
    'service/capacity',
    'service/settings',
    'service/accounts',
    'service/submissions',
    'service/index-check',
    'service/processing',
    'service/http',
    'service/required',
  ],
  'service/cli': [
    'contract',
    'src/temporal',
    'src/cli-kit',
    'service/settings-error',
    'src/database',
    'service/settings',
    'service/accounts',
    'service/operations',
    'service',
  ],
  // The demo's sandbox is a program of its own: the one place where connector and service meet.
  'src/sandbox': ['contract', 'src/cli-kit', 'service'],
};

/** Modules whose code decides and does not act: no I/O, no clock, no randomness of their own. */
const PURE = ['contract', 'src/url', 'src/submission', 'workflows'];
const IMPURE_PACKAGE = /^node:(?!crypto$|buffer$|util$)|^(undici|pg|fastify|pino)/;
const IMPURE_CALL = /\b(Date\.now|Math\.random|performance\.now|fetch|setTimeout|setInterval)\s*\(|\bnew Date\(\)/;

const MODULES = Object.keys(RULES);
const BY_LENGTH = MODULES.toSorted((a, b) => b.length - a.length);
const findModule = (file: string): string | undefined =>
  BY_LENGTH.find((name) => file.startsWith(`${name}/`) || file === `${name}.ts`);

const SOURCES = ['contract', 'src', 'service', 'workflows', 'activities'];

/** What a file does that its module may not; empty when all is well. */
function findBreaches(file: string, text: string): string[] {
  const own = findModule(file);
  if (own === undefined) return [`${file} lies in no module`];
  const pure = PURE.includes(own);
  const imports = parseImports(text).flatMap((specifier) => {
    if (!specifier.startsWith('.'))
      return pure && IMPURE_PACKAGE.test(specifier) ? [`${file} is pure and imports ${specifier}`] : [];
    const target = resolveImport(file, specifier);
    const other = findModule(target);
    return other === own || RULES[own]!.includes(other ?? '') ? [] : [`${file} imports ${target}`];
  });
  const call = pure ? IMPURE_CALL.exec(withoutComments(text)) : null;
  return call === null ? imports : [...imports, `${file} is pure and calls ${call[0]}`];
}

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');

/** Files that import each other in a circle, each circle once, by its first file. */
function findCycles(files: readonly string[]): string[][] {
  const edges = new Map(
    files.map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return [file, parseImports(text).flatMap((each) => (each.startsWith('.') ? resolveImport(file, each) : []))];
    }),
  );
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) cycles.push(path.slice(at));
    if (at >= 0 || done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return cycles;
}

describe('dependency rules', () => {
  const files = listSources(SOURCES);

  test('every file lies in a module, and imports only what its module may', () => {
    assert.ok(files.length > 200, 'no sources found: this test would prove nothing');
    assert.deepEqual(
      files.flatMap((file) => findBreaches(file, readFileSync(join(root, file), 'utf8'))),
      [],
    );
  });

  test('every module of the rules exists, and none may import one below it', () => {
    for (const [at, name] of MODULES.entries()) {
      assert.ok(
        files.some((file) => findModule(file) === name),
        `${name} has no file`,
      );
      for (const other of RULES[name]!) assert.ok(MODULES.indexOf(other) < at, `${name} -> ${other} runs upward`);
    }
  });

  test('no rule allows what no file needs', () => {
    const used = new Map(MODULES.map((name) => [name, new Set<string | undefined>()]));
    for (const file of files) {
      for (const specifier of parseImports(readFileSync(join(root, file), 'utf8')))
        if (specifier.startsWith('.')) used.get(findModule(file)!)!.add(findModule(resolveImport(file, specifier)));
    }
    assert.deepEqual(
      MODULES.flatMap((name) =>
        RULES[name]!.filter((other) => !used.get(name)!.has(other)).map((o) => `${name} -> ${o}`),
      ),
      [],
    );
  });

  test('no files import each other in a circle', () => {
    assert.deepEqual(findCycles(files), []);
  });

  test('the architecture page shows these rules', () => {
    const page = readFileSync(join(root, 'docs/explanation/architecture.md'), 'utf8');
    const [, shown] = /<!-- dependency rules: begin -->\n([\s\S]*?)<!-- dependency rules: end -->/.exec(page) ?? [];
    const rows = MODULES.map((name) => `| \`${name}\` | ${RULES[name]!.map((other) => `\`${other}\``).join(', ')} |`);
    assert.equal(shown, ['', '| module | may import |', '| --- | --- |', ...rows, '', ''].join('\n'));
  });

  test('each kind of breach is seen', () => {
    const count = (file: string, text: string) => findBreaches(file, text).length;
    assert.equal(count('src/url/x.ts', "import { a } from '../ledger/ledger.ts';"), 1);
    assert.equal(count('src/url/x.ts', "import '../ledger/ledger.ts';"), 1);
    assert.equal(count('src/cli/x.ts', "import { a } from '../../activities/crawl.ts';"), 1);
    assert.equal(count('service/http/x.ts', "import { a } from '../../src/ledger/x.ts';"), 1);
    assert.equal(count('workflows/x.ts', "import type { A } from '../activities/crawl.ts';"), 1);
    assert.equal(count('src/submission/x.ts', "import { a } from 'node:fs';"), 1);
    assert.equal(count('src/submission/x.ts', 'const at = Date.now();'), 1);
    assert.equal(count('src/submission/x.ts', '// Date.now() is handed in'), 0);
    assert.equal(count('src/somewhere.ts', ''), 1);
  });
});
