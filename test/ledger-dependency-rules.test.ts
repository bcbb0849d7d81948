import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { listSources, parseImports, resolveImport, root } from './support/imports.ts';

/**
 * Which module of src/ledger may import which, besides itself and the files of the folder itself, which import none: from the bottom
 * up, so no two import each other. The page docs/explanation/architecture.md shows it.
 */
const RULES: Readonly<Record<string, readonly string[]>> = {
  accounts: [],
  journal: [],
  pages: ['accounts'],
  runs: ['accounts'],
  money: ['accounts', 'journal'],
  forgotten: ['accounts', 'pages', 'runs'],
  crawl: ['accounts', 'pages', 'runs', 'forgotten'],
  batches: ['accounts', 'journal', 'pages', 'money'],
  jobs: ['accounts', 'journal', 'pages', 'money', 'forgotten', 'batches'],
  'index-checks': ['accounts', 'journal', 'money'],
  plans: ['accounts', 'journal', 'pages', 'runs', 'money', 'batches', 'index-checks'],
  retention: [],
  notices: [],
  reports: ['journal', 'pages', 'runs', 'money', 'forgotten', 'crawl', 'batches'],
};

const LEDGER = 'src/ledger/';

/** The module of a file; null: it lies in the folder itself, or outside. */
const findModule = (file: string): string | null =>
  file.startsWith(LEDGER) ? (/^([^/]+)\//.exec(file.slice(LEDGER.length))?.[1] ?? null) : null;

/** Arrows between modules, with the file that has them. */
const arrows = listSources([LEDGER.slice(0, -1)]).flatMap((file) =>
  parseImports(readFileSync(join(root, file), 'utf8'))
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ file, from: findModule(file), to: findModule(resolveImport(file, specifier)) }))
    .filter(({ from, to }) => to !== null && to !== from),
);

describe('dependency rules inside the ledger', () => {
  test('a module imports only what it may', () => {
    assert.ok(arrows.length > 50, 'no imports found: this test would prove nothing');
    assert.deepEqual(
      arrows.filter(({ from, to }) => from === null || !RULES[from]?.includes(to!)),
      [],
    );
  });

  test('the modules stand from the bottom up, and none is missing', () => {
    const names = Object.keys(RULES);
    for (const [at, name] of names.entries())
      for (const other of RULES[name]!) assert.ok(names.indexOf(other) < at, `${name} -> ${other} runs upward`);
    const found = new Set(listSources([LEDGER.slice(0, -1)]).flatMap((file) => findModule(file) ?? []));
    assert.deepEqual([...found].sort(), names.toSorted());
  });

  test('no rule allows what no file needs', () => {
    const used = new Set(arrows.map(({ from, to }) => `${from} -> ${to}`));
    assert.deepEqual(
      Object.entries(RULES).flatMap(([name, others]) =>
        others.map((other) => `${name} -> ${other}`).filter((arrow) => !used.has(arrow)),
      ),
      [],
    );
  });

  test('the architecture page shows them', () => {
    const page = readFileSync(join(root, 'docs/explanation/architecture.md'), 'utf8');
    const [, shown] =
      /<!-- ledger dependency rules: begin -->\n([\s\S]*?)<!-- ledger dependency rules: end -->/.exec(page) ?? [];
    const rows = Object.entries(RULES).map(
      ([name, others]) => `| \`${name}\` | ${others.map((other) => `\`${other}\``).join(', ')} |`,
    );
    assert.equal(shown, ['', '| module of the ledger | may import |', '| --- | --- |', ...rows, '', ''].join('\n'));
  });
});
