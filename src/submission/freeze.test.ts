import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Url } from '../url/normalize-url.ts';
import { computeDigest, type FreezeInput, freezeBatch, freezeCheck } from './freeze.ts';
import type { AccountId, WatchId } from './ids.ts';
import { parseTag } from './project-tag.ts';

const url = (path: string) => `https://shop.example/${path}` as Url;
const base: FreezeInput = {
  baseUrl: 'https://indexing.example/api/v1',
  account: 'main' as AccountId,
  watch: 'shop' as WatchId,
  service: 'standard',
  project: 'Shop nightly',
  generation: 1,
  urls: [url('a'), url('b')],
};

describe('freezeBatch and freezeCheck', () => {
  // Golden values. If this test fails, an upgrade would buy every batch in flight twice.
  test('the bytes and the key of a batch never change', () => {
    assert.deepEqual(freezeBatch(base), {
      key: 'sc1-2116041ad801cc86983355845a33134019421159',
      body: '{"project":"Shop nightly [sc5c37bd4b9d5c7c]","service":"standard","urls":["https://shop.example/a","https://shop.example/b"]}',
      digest: 'c27709b77359bddc69c87433ae11297c29808a55144a9c673de8895a67ae5671',
      project: 'Shop nightly [sc5c37bd4b9d5c7c]',
      tag: 'sc5c37bd4b9d5c7c',
    });
    assert.deepEqual(freezeCheck({ ...base, round: 1 }), {
      key: 'sc1-cc71745485f415e6ad0c6874b8d94342d1566b34',
      body: '{"urls":["https://shop.example/a","https://shop.example/b"]}',
      digest: 'a5257dc016216679b5efde891066fcd155cb92599ab447156a235a449eb2e21a',
    });
  });

  test('every difference in the purchase changes the key', () => {
    const others: FreezeInput[] = [
      { ...base, baseUrl: 'https://other.example/api/v1' },
      { ...base, account: 'second' as AccountId },
      { ...base, watch: 'blog' as WatchId },
      { ...base, service: 'fast' },
      { ...base, project: 'Shop weekly' },
      { ...base, generation: 2 },
      { ...base, urls: [url('b'), url('a')] },
      { ...base, urls: [url('a')] },
    ];
    const keys = [base, ...others].map((input) => freezeBatch(input).key);
    assert.equal(new Set(keys).size, keys.length);
    const tags = [base, ...others].map((input) => freezeBatch(input).tag);
    assert.equal(new Set(tags).size, tags.length, 'a tag identifies one batch, so it differs wherever the key does');
  });

  test('a trailing slash of the base URL changes nothing', () => {
    assert.deepEqual(freezeBatch({ ...base, baseUrl: `${base.baseUrl}/` }), freezeBatch(base));
  });

  test('the request keeps the limits of the specification for any project name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.nat(), (project, generation) => {
        const frozen = freezeBatch({ ...base, project, generation });
        assert.match(frozen.key, /^sc1-[0-9a-f]{40}$/);
        assert.equal(frozen.digest, computeDigest(frozen.body));
        assert.ok(frozen.project.length >= 2 && frozen.project.length <= 120, 'in UTF-16 units');
        assert.equal(parseTag(frozen.project), frozen.tag);
        assert.ok(frozen.project.isWellFormed());
        const sent: unknown = JSON.parse(Buffer.from(frozen.body, 'utf8').toString('utf8'));
        assert.deepEqual(sent, { project: frozen.project, service: 'standard', urls: base.urls });
      }),
    );
  });

  test('a second check of the same URLs has another key', () => {
    const getKey = (round: number) => freezeCheck({ ...base, round }).key;
    assert.notEqual(getKey(1), getKey(2));
    assert.equal(getKey(1), getKey(1));
  });

  test('a request that the specification forbids is refused', () => {
    assert.throws(() => freezeBatch({ ...base, urls: [] }), /1 to 5000 URLs/);
    assert.throws(() => freezeBatch({ ...base, urls: [url('a'), url('a')] }), /twice/);
    assert.throws(() => freezeBatch({ ...base, generation: 1.5 }), /whole number/);
    const many = Array.from({ length: 5001 }, (_, n) => url(`${n}`));
    assert.throws(() => freezeBatch({ ...base, urls: many }), /5001/);
    assert.throws(() => freezeCheck({ ...base, round: 1, urls: many.slice(0, 51) }), /1 to 50 URLs/);
  });
});
