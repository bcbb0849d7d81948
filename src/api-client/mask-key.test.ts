import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maskKey } from './mask-key.ts';
import type { Exchange } from './transport.ts';

const KEY = 'usk_a/b+c=d.Z9"end';

const answered = (text: string, header = ''): Exchange => ({
  kind: 'answered',
  status: 401,
  headers: { 'x-request-id': header, 'set-cookie': ['a=1', header] },
  text,
});

describe('the key in a response', () => {
  const forms: Readonly<Record<string, string>> = {
    plain: KEY,
    JSON: JSON.stringify(KEY).slice(1, -1),
    'JSON with escaped slashes': KEY.replaceAll('/', '\\/').replaceAll('"', '\\"'),
    'JSON with escaped punctuation': KEY.replaceAll('+', '\\u002B').replaceAll('"', '\\u0022'),
    'JSON with every character escaped': [...KEY]
      .map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
    address: encodeURIComponent(KEY),
    'address in lower case': encodeURIComponent(KEY).toLowerCase().replace('z9', 'Z9'),
    HTML: KEY.replaceAll('"', '&#34;').replaceAll('+', '&#x2B;'),
  };
  for (const [form, text] of Object.entries(forms)) {
    test(`is masked in the text and in the headers: ${form}`, () => {
      const masked = maskKey(answered(`You sent ${text}, twice ${text}!`, `id-${text}`), KEY);
      assert.deepEqual(masked, answered('You sent [API key], twice [API key]!', 'id-[API key]'));
    });
  }

  test('is masked in what failed', () => {
    const failed = (what: string): Exchange => ({ kind: 'none', reached: true, timedOut: false, what });
    assert.deepEqual(maskKey(failed(`invalid header ${KEY}`), KEY), failed('invalid header [API key]'));
  });

  test('leaves other texts and what is masked for a short key as they are', () => {
    const other = answered(`{"url":"https://shop.example/%2F\\u0041","key":"${KEY.slice(1)}"}`, 'id');
    assert.deepEqual(maskKey(other, KEY), other);
    assert.deepEqual(maskKey(other, 'example'), other);
    assert.deepEqual(maskKey(other, null), other);
  });

  test('costs a time that grows with the response, not with its square', () => {
    const text = JSON.stringify(Array.from({ length: 5_000 }, (_, n) => `https://shop.example/us/usk_a%2Fb/${n}`));
    const startedAt = performance.now();
    assert.equal(maskKey(answered(text), KEY).kind, 'answered');
    assert.ok(performance.now() - startedAt < 2_000, 'it takes milliseconds');
  });
});
