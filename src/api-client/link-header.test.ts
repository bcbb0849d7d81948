import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasNextLink } from './link-header.ts';

describe('hasNextLink', () => {
  for (const link of [
    '<https://a.example/jobs?page=2>; rel="next"',
    '</jobs?page=2>;rel=next',
    '<?page=1>; rel="prev", <?page=3>; rel="NEXT last"',
    '<?page=3>; title="a, b; rel=\\"first\\""; rel="next"',
    ['<?page=1>; rel="first"', '<?page=3>; rel="next"'],
  ]) {
    test(`finds it in ${JSON.stringify(link)}`, () => assert.equal(hasNextLink({ link }), true));
  }

  for (const link of [
    undefined,
    '',
    '<?page=1>; rel="prev", <?page=9>; rel="last"',
    '<https://a.example/rel="next">; rel="describedby"',
    '<?page=3>; rel="next-archive"',
    '<?page=3>; title="rel=next"',
    'rel="next"',
  ]) {
    test(`finds none in ${JSON.stringify(link)}`, () => assert.equal(hasNextLink({ link }), false));
  }
});
