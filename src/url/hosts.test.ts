import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileHosts, findHostProblem } from './hosts.ts';

const matches = (host: string, origin: string): boolean => compileHosts([host])(new URL(origin));

describe('compileHosts', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['shop.example:443', 'https://shop.example', true],
    ['shop.example:443', 'https://shop.example:8443', false],
    ['shop.example:443', 'http://shop.example', false],
    ['shop.example:80', 'http://shop.example', true],
    ['shop.example:80', 'https://shop.example', false],
    ['shop.example:08443', 'https://shop.example:8443', true],
    ['*.shop.example:8443', 'https://a.shop.example:8443', true],
    ['*.shop.example:8443', 'https://a.shop.example', false],
    ['*.münchen.example', 'https://a.xn--mnchen-3ya.example', true],
    ['[::1]', 'http://[::1]:8080', true],
    ['[::1]:8080', 'http://[::1]', false],
    ['127.0.0.1', 'http://127.0.0.1:3000', true],
  ];
  for (const [host, origin, expected] of cases) {
    test(`${host} ${expected ? 'is' : 'is not'} ${origin}`, () => assert.equal(matches(host, origin), expected));
  }

  test('a host that is not one matches nothing, rather than everything', () => {
    assert.equal(matches('http://shop.example', 'http://shop.example'), false);
  });
});

describe('findHostProblem', () => {
  const problems: readonly (readonly [string, RegExp])[] = [
    ['http://shop.example', /it is not a host\. Write "shop\.example"$/],
    ['https://shop.example:8443/a', /Write "shop\.example:8443"$/],
    ['shop.example/products', /Write a host such as/],
    ['shop.*', /Write a host such as/],
    ['*shop.example', /Write a host such as/],
    ['user@shop.example', /Write a host such as/],
    ['shop.example:99999', /Write a host such as/],
    ['*.127.0.0.1', /Write a host such as/],
    ['shop example', /Write a host such as/],
  ];
  for (const [host, problem] of problems) {
    test(`${host} is not a host`, () => assert.match(findHostProblem(host) ?? '', problem));
  }
  for (const host of [
    'shop.example',
    'SHOP.example',
    'münchen.example',
    '*.shop.example',
    'localhost:3000',
    '[::1]:80',
  ]) {
    test(`${host} is a host`, () => assert.equal(findHostProblem(host), null));
  }
});
