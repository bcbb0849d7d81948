import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileHosts, findHostProblem, findPrivateHostProblem } from './hosts.ts';

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
  const problems: readonly (readonly [string, ...string[]])[] = [
    ['http://shop.example', 'shop.example'],
    ['https://shop.example:8443/a', 'shop.example:8443'],
    ['https://*.shop.example', '*.shop.example'],
    ['shop.example/products', 'shop.example'],
    ['shop.*'],
    ['*shop.example'],
    ['user@shop.example'],
    ['shop.example:99999'],
    ['*.127.0.0.1'],
    ['shop example'],
    ['true'],
    ['Yes'],
  ];
  for (const [host, ...meant] of problems) {
    test(`${host} is not a host, and is proposed as ${meant[0] ?? 'nothing'}`, () => {
      const { says = '', write = [] } = findHostProblem(host) ?? {};
      assert.match(says, /it is not a host/);
      assert.deepEqual(write, meant);
      for (const each of meant) assert.equal(findHostProblem(each), null);
    });
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

describe('findPrivateHostProblem', () => {
  const problems: readonly (readonly [string, ...string[]])[] = [
    ['true'],
    ['all'],
    ['*'],
    ['*.intranet.example'],
    ['10.0.0.0/33'],
    ['not a host'],
    ['intranet.example:8080', 'intranet.example'],
    ['http://intranet.example/', 'intranet.example'],
    ['http://127.0.0.1:8080/sitemap.xml', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['0:0:0:0:0:0:0:1', '::1'],
  ];
  for (const [host, ...meant] of problems) {
    test(`${host} allows nothing, and is proposed as ${meant[0] ?? 'nothing'}`, () => {
      const { write = null } = findPrivateHostProblem(host) ?? {};
      assert.deepEqual(write, meant);
      for (const each of meant) assert.equal(findPrivateHostProblem(each), null);
    });
  }
  for (const host of ['localhost', 'Intranet', 'shop.example', '127.0.0.1', '::1', '[::1]', '10.0.0.0/8', 'fd00::/8']) {
    test(`${host} is allowed`, () => assert.equal(findPrivateHostProblem(host), null));
  }
});
