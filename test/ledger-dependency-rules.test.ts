import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { LEDGER_RULES as RULES } from './support/dependency-rules.ts';
import { listSources, parseImports, resolveImport, root } from './support/imports.ts';

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
});
