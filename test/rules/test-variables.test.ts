import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ROOT } from '../suites.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const PAGE = 'docs/contributing/testing.md';
const VARIABLE = /(?:env\.|\benv\[')?\b(COURIER_TEST_[A-Z_]+)\b/g;
const PROGRAM_VARIABLE = /\b(COURIER_(?!TEST_)[A-Z_]+)\b/g;

const SOURCES = ['{activities,bench,bin,contract,service,src,test,workflows}/**/*.{ts,mjs}', '.ci/run', 'package.json'];

function findAll(pattern: RegExp, texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name)))].toSorted();
}

/** The first cells of a table's rows, each name in backquotes. */
function readRows(heading: string): string[] {
  const [, section = ''] = read(PAGE).split(`## ${heading}\n`);
  const rows = section
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  return rows
    .flatMap((line) => [...line.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .toSorted();
}

describe(PAGE, () => {
  const code = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).map(read);

  test('the table of variables has every COURIER_TEST_ variable of the tree, and no other', () => {
    assert.deepEqual(readRows('Variables'), findAll(VARIABLE, code));
  });

  test('every variable of the programs has a page', () => {
    const programs = globSync('{bin,service,src}/**/*.{ts,mjs}', { cwd: ROOT }).filter(
      (file) => !file.endsWith('.test.ts'),
    );
    const names = findAll(PROGRAM_VARIABLE, programs.map(read));
    assert.ok(names.includes('COURIER_SERVICE_DATABASE'), 'no variable found: this test would prove nothing');
    const pages = globSync('docs/{guides,reference}/*.md', { cwd: ROOT }).map(read).join('\n');
    assert.deepEqual(
      names.filter((name) => !pages.includes(name)),
      [],
      'name it COURIER_TEST_… if it is for tests, else document it under docs/',
    );
  });

  test('the table of scripts has every npm script, and no other', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    assert.deepEqual(readRows('Scripts'), Object.keys(scripts).toSorted());
  });
});
