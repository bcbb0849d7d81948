import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { partSchemaText, schemaText } from './schema.ts';

const read = (name: string) => readFileSync(new URL(`../../../config/${name}`, import.meta.url), 'utf8');

describe('courier schema', () => {
  test('config/courier.schema.json is the schema that the program validates with', () => {
    assert.equal(
      read('courier.schema.json'),
      schemaText(),
      'run: npm run -s courier -- schema > config/courier.schema.json',
    );
  });

  test('config/courier-part.schema.json is that of one of several files', () => {
    const hint = 'run: npm run -s courier -- schema --part > config/courier-part.schema.json';
    assert.equal(read('courier-part.schema.json'), partSchemaText(), hint);
  });

  test('a part requires neither accounts nor watches, and refuses what no file may have', () => {
    const ajv = new Ajv2020({ strict: false });
    const whole = ajv.compile(JSON.parse(schemaText()) as object);
    const part = ajv.compile(JSON.parse(partSchemaText()) as object);
    const watch = { watches: { blog: { account: 'main', sitemaps: ['https://blog.example/s.xml'] } } };
    assert.deepEqual([whole(watch), part(watch)], [false, true]);
    assert.equal(part({ defaults: { service: 'fast' } }), true);
    assert.equal(part({ watchs: {} }), false);
    assert.equal(part({ watches: { blog: { acount: 'main' } } }), false);
  });
});
