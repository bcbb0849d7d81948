import { createHash } from 'node:crypto';
import type { Account } from '../src/config/config.ts';
import type { Reading } from '../src/ledger/jobs/unread-jobs.ts';
import { VERSION } from '../src/observability/version.ts';
import { normalizeStatus } from '../src/submission/status-map.ts';

/**
 * How the account's answers are read now. A word that is mapped, a field that is named, a state that becomes terminal, and a
 * version that reads more make it another one; the order of words and how they are spelled do not.
 */
export function getReading({ statusMap: { job, url, ends }, terminalStates, fieldNames }: Account): Reading {
  const toWords = (words: readonly string[]) => [...new Set(words.map(normalizeStatus))].sort();
  const toMeanings = (meanings: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(meanings)
      .map(([meaning, words]) => [meaning, toWords(words)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  const read = [
    VERSION,
    toMeanings(job),
    toMeanings(url),
    toWords(ends),
    toWords(terminalStates),
    toMeanings(fieldNames),
  ];
  return createHash('sha256').update(JSON.stringify(read)).digest('hex').slice(0, 16) as Reading;
}
