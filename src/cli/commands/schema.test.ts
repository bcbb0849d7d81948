import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { schemaText } from './schema.ts';

describe('courier schema', () => {
  test('config/courier.schema.json is the schema that the program validates with', () => {
    const kept = readFileSync(new URL('../../../config/courier.schema.json', import.meta.url), 'utf8');
    assert.equal(kept, schemaText(), 'run: npm run -s courier -- schema > config/courier.schema.json');
  });
});
