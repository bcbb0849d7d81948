import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { schemaText } from './schema.ts';

test('the JSON Schema that editors read is the one the program checks with', () => {
  const kept = readFileSync(new URL('../../../config/courier.schema.json', import.meta.url), 'utf8');
  assert.equal(kept, schemaText(), 'run: npm run -s courier -- schema > config/courier.schema.json');
});
