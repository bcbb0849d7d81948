import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HostPolicy } from './host-policy.ts';

const cases: readonly (readonly [string, string, boolean])[] = [
  ['shop.example', 'https://shop.example/', true],
  ['shop.example', 'http://shop.example:8080/', true],
  ['shop.example', 'https://www.shop.example/', true],
  ['www.shop.example', 'https://shop.example/', true],
  ['www.shop.example', 'https://cdn.shop.example/', true],
  ['shop.example', 'https://a.b.shop.example/', true],
  ['*.shop.example', 'https://a.shop.example/', true],
  ['a.shop.example', 'https://b.shop.example/', false],
  ['a.shop.example', 'https://shop.example/', false],
  ['shop.example', 'https://badshop.example/', false],
  ['shop.example', 'https://shop.example.evil.test/', false],
  ['example', 'https://shop.example/', false],
  ['0.0.1', 'http://127.0.0.1/', false],
];
describe('HostPolicy', () => {
  for (const [host, url, allowed] of cases) {
    test(`${host} ${allowed ? 'allows' : 'does not allow'} ${url}`, () =>
      assert.equal(new HostPolicy({ anyHost: false, hosts: [host] }).allows(new URL(url)), allowed));
  }
});

test('anyHost allows every host', () =>
  assert.equal(new HostPolicy({ anyHost: true, hosts: [] }).allows(new URL('http://x.test')), true));
