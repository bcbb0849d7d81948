import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Account } from '../src/config/config.ts';
import { readConfig } from '../src/config/load.ts';
import type { AccountId } from '../src/submission/ids.ts';
import { getReading } from './reading.ts';

const accountWith = (lines: string): Account =>
  readConfig(
    [
      'version: 1',
      'accounts:',
      `  main: { base_url: "https://a.example/api/v1", api_key: { env: UNUSED }${lines} }`,
      'watches: { shop: { account: main, sitemaps: [a.xml], hosts: [a.example] } }',
    ].join('\n'),
    '/courier.yaml',
  ).accounts.get('main' as AccountId)!;

describe('getReading', () => {
  const map = (url: string) => `, status_map: { url: { completed: [${url}] } }`;
  const plain = getReading(accountWith(''));

  test('is another one for another word of a URL or a job, and for another end', () => {
    const others = [map('eklendi'), ', status_map: { job: { failed: [iptal] } }', ', terminal_states: [completed]'];
    assert.equal(new Set([plain, ...others.map((lines) => getReading(accountWith(lines)))]).size, 4);
  });

  test('is the same for other settings, and for the same words in another order or spelling', () => {
    assert.equal(getReading(accountWith(', price_per_url: 0.25 TRY, status_map: { check: { found: [var] } }')), plain);
    assert.equal(getReading(accountWith(map('Eklendi, var'))), getReading(accountWith(map('var, eklendi, EKLENDI'))));
  });
});
