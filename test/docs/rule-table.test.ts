import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { PAGE, withTable } from './rule-table.ts';

describe('rule table', () => {
  test('docs/reference/rest-api.md ends with the table generated from the tests (npm run docs:api)', () => {
    const page = readFileSync(PAGE, 'utf8');
    assert.equal(page, withTable(page));
  });
});
