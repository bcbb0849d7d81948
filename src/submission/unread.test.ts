import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describeUnread, mergeUnread, type Unread, withoutKnown } from './unread.ts';

const words = (...names: string[]): Unread => [{ what: 'url_word', names }];

describe('what of an answer could not be read', () => {
  test('is kept once, and bounded', () => {
    assert.deepEqual(mergeUnread(words('a', 'b'), words('b', 'c')), words('a', 'b', 'c'));
    const many = Array.from({ length: 5_000 }, (_, n) => `word ${n}`);
    assert.equal(mergeUnread(words(...many), [])[0]?.names.length, 12);
    assert.deepEqual(mergeUnread(words('x'.repeat(200)), []), words());
  });

  test('holds no address: the ledger must be able to forget it', () => {
    const merged = mergeUnread(
      [{ what: 'url_state', names: ['https://shop.example/1', 'durum'] }],
      words('see https://x'),
    );
    assert.deepEqual(merged, [{ what: 'url_state', names: ['durum'] }, ...words()]);
  });

  test('is less once a word is mapped', () => {
    assert.deepEqual(
      withoutKnown(words('a', 'b'), (word) => word === 'a'),
      words('b'),
    );
    assert.deepEqual(
      withoutKnown(words('a'), () => true),
      [],
    );
  });

  test('names the setting that helps, or says that none does', () => {
    assert.match(describeUnread(words('eklendi'), 'main') ?? '', /"eklendi".*accounts\.main\.status_map\.url/);
    assert.match(
      describeUnread([{ what: 'url_list', names: ['hedefler', 'durum'] }], 'main') ?? '',
      /no list of its URLs.*\(there is hedefler, durum\)\. Say under accounts\.main\.field_names\.urls/,
    );
    assert.match(
      describeUnread([{ what: 'url_address', names: ['adres'] }], 'main') ?? '',
      /without an address that can be read \(there is adres\)/,
    );
    assert.equal(describeUnread([], 'main'), null);
  });
});
