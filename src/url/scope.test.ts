import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Url } from './normalize-url.ts';
import { makeScope, type ScopeOptions, type SkipReason } from './scope.ts';

const cases: readonly (readonly [string, ScopeOptions, string, SkipReason | null])[] = [
  ['everything by default', {}, 'http://any.example:81/x', null],
  ['a named host', { hosts: ['shop.example'] }, 'https://shop.example/', null],
  ['a named host on another port', { hosts: ['shop.example'] }, 'https://shop.example:8443/', null],
  ['a named host and port', { hosts: ['shop.example:8443'] }, 'https://shop.example/', 'host'],
  ['another host', { hosts: ['shop.example'] }, 'https://www.shop.example/', 'host'],
  ['a host that only ends alike', { hosts: ['*.shop.example'] }, 'https://badshop.example/', 'host'],
  ['a host below', { hosts: ['*.shop.example'] }, 'https://a.b.shop.example/', null],
  ['the host itself is not below it', { hosts: ['*.shop.example'] }, 'https://shop.example/', 'host'],
  ['hosts in any spelling', { hosts: ['MÜNCHEN.example'] }, 'https://xn--mnchen-3ya.example/', null],
  ['a scheme left out', { schemes: ['https'] }, 'http://shop.example/', 'scheme'],
  ['a folder', { include: ['/products/**'] }, 'https://shop.example/products/1?x', null],
  ['the folder itself', { include: ['/products/**'] }, 'https://shop.example/products', null],
  [
    'a folder that only begins alike',
    { include: ['/products/**'] },
    'https://shop.example/products2/1',
    'not-included',
  ],
  ['one path', { include: ['/about'] }, 'https://shop.example/about?lang=tr', null],
  ['a star stays in its segment', { include: ['/p/*'] }, 'https://shop.example/p/1/2', 'not-included'],
  ['a pattern', { include: ['/**/*.html'] }, 'https://shop.example/a/b/c.html', null],
  ['dot files', { include: ['/**'] }, 'https://shop.example/.well-known/x', null],
  ['exclude wins', { include: ['/p/**'], exclude: ['/p/draft/**'] }, 'https://shop.example/p/draft/1', 'excluded'],
  ['the query does not count', { exclude: ['/draft/**'] }, 'https://shop.example/a?/draft/1', null],
  ['letters beyond ASCII', { include: ['/ürünler/**'] }, 'https://shop.example/%C3%BCr%C3%BCnler/1', null],
  ['case means something', { include: ['/A'] }, 'https://shop.example/a', 'not-included'],
];
describe('makeScope', () => {
  for (const [what, options, url, reason] of cases) {
    test(what, () => assert.equal(makeScope(options)(url as Url), reason));
  }
});

test('one scope decides correctly while origins alternate', () => {
  const scope = makeScope({ hosts: ['a.example'] });
  const answers = ['https://a.example/', 'https://b.example/', 'https://a.example/', 'https://a.example:1/'];
  assert.deepEqual(
    answers.map((url) => scope(url as Url)),
    [null, 'host', null, null],
  );
});
