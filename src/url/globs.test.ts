import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileGlobs, findCover, findGlobProblem, toGlobs } from './globs.ts';

describe('findGlobProblem', () => {
  const hopeless: readonly (readonly [string, RegExp, ...string[]])[] = [
    ['*.html', /every path begins with "\/"/, '/**/*.html'],
    ['*a*/b', /every path begins with/, '/**/*a*/b'],
    ['/search?q=*', /without the query/, '/search'],
    ['/page#part', /fragment/, '/page'],
    ['/a/../b', /"\.\." are resolved/],
    ['/a/%2E%2e/**', /are resolved/],
    ['/a/.', /are resolved/],
    ['/drafts/[**', /"\[" is not closed/, '/drafts/\\[**'],
    ['/{a,b/**', /"\{" is not closed/, '/\\{a,b/**'],
    ['/@(a|b', /"\(" is not closed/, '/@\\(a|b'],
    ['/^/products/draft/.*$', /a regular expression/, '/products/draft/**'],
    ['/products/draft/.*$', /a regular expression/, '/products/draft/**'],
  ];
  for (const [glob, problem, ...meant] of hopeless) {
    test(`${glob} can match no URL`, () => {
      const { says = '', write = [] } = findGlobProblem(glob) ?? {};
      assert.match(says, problem);
      assert.deepEqual(write, meant);
      for (const each of meant) assert.equal(findGlobProblem(each), null, 'what is proposed is a glob');
    });
  }

  for (const [text, path, ...meant] of [
    ['^/products/draft/.*$', '/products/draft/a/b', '/products/draft/**'],
    ['^/products/draft/', '/products/draft/a', '/products/draft/**'],
    ['^\\/products\\/[^/]+$', '/products/a', '/products/*'],
    ['^/a\\.html$', '/a.html', '/a.html'],
    ['^/(a|b)/.*$', '/a/x'],
    ['^/products/\\d+$', '/products/7'],
    ['.*\\.pdf$', '/a.pdf'],
    ['\\products\\**', '/products/a', '/products/**'],
    ['products/**', '/products/a', '/products/**'],
    ['shop.example/products/**', '/products/a', '/products/**'],
    ['https://shop.example/drafts/**', '/drafts/a', '/drafts/**'],
    ['https://shop.example/%zz/**', '/%zz/a', '/%zz/**'],
    ['https://shop.example/a?b=1', '/a', '/a'],
    ['https://shop.example', '/'],
    ['index.html', '/index.html', '/index.html'],
    ['www.shop.example', '/'],
  ] as const) {
    test(`${text} is proposed as ${meant[0] ?? 'nothing'}`, () => {
      assert.deepEqual(toGlobs(text).write, meant);
      for (const glob of meant) assert.ok(compileGlobs([glob])(path), `${glob} matches ${path}`);
    });
  }

  const paths = [
    '/',
    '/a.html',
    '/a/b.html',
    '/drafts/[x',
    '/drafts/x',
    '/a?',
    '/my%20page/1',
    '/.well-known/x',
    '/x...y',
  ];
  const possible = [
    ...['**', '*', '*/**', '**.html', '**/*.html', '/**/*.html', '/drafts/**', '/drafts/[a-z]', '/drafts/\\[**'],
    ...[
      '/{a,b}.html',
      '/@(a|b).html',
      '/?.html',
      '/my page/**',
      '/.well-known/*',
      '/x...y',
      '/drafts/[({]*',
      '/drafts/[[]x',
    ],
  ];
  for (const glob of possible) {
    test(`${glob} is accepted`, () => assert.equal(findGlobProblem(glob), null));
  }

  test('a glob with a problem matches no path, so none that works is refused', () => {
    const literal = new Set(['/drafts/[**', '/search?q=*']);
    for (const [glob] of hopeless.filter(([each]) => !literal.has(each)))
      assert.deepEqual(paths.filter(compileGlobs([glob])), [], glob);
  });
});

describe('compileGlobs', () => {
  test('matches characters that a URL percent-encodes', () => {
    const matches = compileGlobs(['/my page/**', '/a<b>']);
    assert.deepEqual(['/my%20page/1', '/a%3Cb%3E', '/my page/1'].map(matches), [true, true, false]);
  });
});

describe('findCover', () => {
  const cases: readonly (readonly [string, string[], string | null])[] = [
    ['/p/**', ['/p/**'], '/p/**'],
    ['/p/a/**', ['/x', '/p/**'], '/p/**'],
    ['/p/a', ['/p/**'], '/p/**'],
    ['/p', ['/p/**'], '/p/**'],
    ['/p/*.html', ['/p/**'], '/p/**'],
    ['/p/**/x', ['/p/**'], '/p/**'],
    ['/p', ['/p'], '/p'],
    ['/**', ['/**'], '/**'],
    ['**', ['/**'], '/**'],
    ['/p/**', ['/p/draft/**'], null],
    ['/products/**', ['/p/**'], null],
    ['/p*', ['/p/**'], null],
    ['/p/**', ['/p/*'], null],
    ['/p/**', [], null],
  ];
  for (const [include, exclude, cover] of cases) {
    test(`include ${include}, exclude ${exclude.join(' ')}: ${cover ?? 'something passes'}`, () =>
      assert.equal(findCover(include, exclude), cover));
  }
});
