import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, test } from 'node:test';
import { root } from '../support/pages.ts';

/** Words of our own that the field's terms replaced (docs/contributing/english.md), as patterns. */
const OLD_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(look|looks|looked|looking) (at (a|the|one|each|its|every) job|again|now|after)\b/i, 'poll'],
  [/\blook(s|ed|At)?(Now|Schedule|Recorded)\b/, 'poll'],
  [/\bstor(y|ies)\b/i, 'history'],
  [/\bbooks\b/i, 'ledger, or the database of the service'],
  [/\bsightings?\b/i, 'job-status cache'],
  [/\bstatus ?board\b/i, 'job-status loader'],
  [/\bmanners\b/i, 'profile, politeness'],
  [/\bstrangers?\b/i, 'untrusted input, unrelated'],
  [/\boddit(y|ies)\b/i, 'warning'],
  [/\b(un)?told\b(?! (apart|to|that|so)\b)/i, 'reported, unreported'],
  [/\bpatien(ce|tly)\b/i, 'timeout'],
  [/\b(un)?parked\b/i, 'suspended'],
  [/\bstandstill\b/i, 'stall'],
  [/\bnonsense\b/i, 'invalid payload'],
  [/\btwins?\b/i, 'the other watch'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\ba person\b/i, 'you, an operator'],
  [/\bfor ever\b/i, 'forever'],
  [/\b(a|the|each|every|one|per|of) nights?\b/i, 'run'],
  [/\b(rooms|walls)\b/i, 'modules, dependency rules'],
  [/\b(laps?|tally|tallies)\b/i, 'timings, totals'],
  [/\bdearer\b/i, 'at a higher price'],
  [/\banew\b/i, 'again; regenerate'],
  [/\bfor good\b/i, 'permanently'],
  [/\bmoney (does|do) not suffice\b/i, 'insufficient funds'],
  [/\b(is|are|was|were) (not )?believed\b/i, 'counts, is trusted, is ignored'],
  [/\b(another|other) makings?\b/i, 'another profile'],
  [/\bwho asks\b/i, 'the caller'],
  [/\bwho is signed in\b/i, 'the customer, a request with a session'],
  [/\bbrings (one|a server)\b/i, 'starts'],
  [/\bgoes again\b/i, 'is retried, is sent again'],
  [/\bforgiv(e|es|en|ing)\b/i, 'does not count'],
  [/\bcomes? to (its|their|an) end\b/i, 'ends'],
];

/** Where an old word stands for what it was, or a word has its everyday meaning. */
const ALLOWED: readonly RegExp[] = [
  /^test\/docs\/vocabulary\.test\.ts$/,
  /^docs\/contributing\/english\.md$/,
  /^CHANGELOG\.md$/,
  /^package-lock\.json$/,
];

const FOLDERS = ['activities', 'bench', 'bin', 'config', 'contract', 'docs', 'service', 'src', 'test', 'workflows'];
const TEXT = /\.(ts|mjs|md|json|yaml|sql)$/;

function listFiles(): string[] {
  const below = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file.split(sep).join('/')}`,
    ),
  );
  return [...readdirSync(root), ...below].filter((file) => TEXT.test(file) && !/(^|\/)\./.test(file));
}

describe('vocabulary', () => {
  test('code, documents and messages use the terms of the field', () => {
    const files = listFiles().filter((file) => !ALLOWED.some((pattern) => pattern.test(file)));
    assert.ok(files.length > 300, 'no files found: this test would prove nothing');
    const found = files.flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, at) =>
          OLD_WORDS.flatMap(([pattern, term]) =>
            pattern.test(line)
              ? [`${file}:${at + 1}: ${pattern.exec(line)?.[0]} (write: ${term}): ${line.trim()}`]
              : [],
          ),
        ),
    );
    assert.deepEqual(found, []);
  });
});
