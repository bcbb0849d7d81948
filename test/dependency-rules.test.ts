import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { MODULE_RULES as RULES } from './support/dependency-rules.ts';
import { listSources, parseImports, resolveImport, root } from './support/imports.ts';

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
