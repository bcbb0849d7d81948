/** A message that names a setting names one that `courier validate` takes: a remedy can be followed. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { root } from '../support/pages.ts';

/** Columns of a file that is imported, programs of Postgres, and a state in the metrics. */
const NO_SETTINGS = new Set(['purchased_url', 'bought_at', 'pg_dump', 'pg_restore', 'in_doubt']);

/** Names of settings, and their values. */
function listNames(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => {
    if (name === 'const') return [String(value)];
    if (name === 'enum') return (value as unknown[]).map(String);
    const own = name === 'properties' ? Object.keys(value as object) : [];
    return [...own, ...listNames(value)];
  });
}

/** Texts of the code that are sentences, without what is put into them. */
function listSentences(code: string): string[] {
  const text = code
    .replace(/sql(<[^`]*>)?`[^`]*`/gs, '')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '');
  return [...text.matchAll(/(['`"])((?:(?!\1|\n).)*)\1/g)]
    .map(([, , literal = '']) => literal.replace(/\$\{[^}]*\}/g, ''))
    .filter((literal) => /[a-z]{2,} [a-z]{2,}/.test(literal) && !/SELECT|UPDATE|INSERT/.test(literal));
}

describe('settings in messages', () => {
  test('each one that a sentence of courier names exists', () => {
    const schema = JSON.parse(readFileSync(join(root, 'config/courier.schema.json'), 'utf8')) as unknown;
    const settings = new Set(listNames(schema));
    const named = ['src', 'activities', 'workflows'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
        .flatMap((name) =>
          listSentences(readFileSync(join(root, folder, name), 'utf8')).flatMap((sentence) =>
            [...sentence.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)].map(([word]) => ({ name, word })),
          ),
        ),
    );
    assert.ok(named.length > 50, `${named.length} found: this test would prove nothing`);
    assert.deepEqual(
      named.filter(({ word }) => !settings.has(word) && !NO_SETTINGS.has(word)),
      [],
    );
  });
});
