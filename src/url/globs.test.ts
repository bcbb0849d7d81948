import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileGlobs, findCover, findGlobProblem } from './globs.ts';

describe('findGlobProblem', () => {
  const hopeless: readonly (readonly [string, RegExp])[] = [
    ['*.html', /every path begins with "\/"\. Write "\/\*\*\/\*\.html"/],
    ['*a*/b', /every path begins with/],
    ['/search?q=*', /without the query/],
    ['/page#part', /fragment/],
    ['/a/../b', /"\.\." are resolved/],
    ['/a/%2E%2e/**', /are resolved/],
    ['/a/.', /are resolved/],
    ['/drafts/[**', /"\[" is not closed/],
    ['/{a,b/**', /"\{" is not closed/],
    ['/@(a|b', /"\(" is not closed/],
  ];
  for (const [glob, problem] of hopeless) {
    test(`${glob} can match no URL`, () => assert.match(findGlobProblem(glob) ?? '', problem));
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
