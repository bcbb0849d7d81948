import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../support/database.ts';
import { dumpSchema, type SchemaDialect, STORES, toDumpPath } from './dump-schema.ts';

describe('the checked-in schema is what the migrations make', () => {
  for (const store of STORES) {
    for (const dialect of ['sqlite', 'postgres'] satisfies SchemaDialect[]) {
      const skip = TEST_DIALECTS.some((each) => each === dialect) ? false : 'COURIER_TEST_POSTGRES is not set';
      test(`${store.component} (${dialect})`, { skip }, async (t) => {
        const path = toDumpPath(store, dialect);
        const made = await dumpSchema(store, emptyDatabaseUrl(t, dialect));
        assert.equal(readFileSync(path, 'utf8'), made, `${path} is out of date: run "npm run schema:dump"`);
      });
    }
  }
});
