import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { groupTests, type TestReach } from './group-tests.ts';
import type { Mutation } from './mutation.ts';

const MUTATION = { file: 'src/a/b.ts', at: 5 } as Mutation;
const reach = (file: string, cpuMs: number, over: Partial<TestReach> = {}): TestReach => ({
  ...{ file, cpuMs, passes: true, loaded: {} },
  ...{ ran: { 'src/a/b.ts': [0, 10] } },
  ...over,
});
const names = (all: readonly TestReach[], most = 60_000) =>
  groupTests(MUTATION, all, most).map((group) => group.map(({ file }) => file));

describe('the tests of a mutation', () => {
  test('are those that run its place and pass without it', () => {
    const all = [
      reach('src/x.test.ts', 1),
      reach('src/y.test.ts', 1, { ran: { 'src/a/b.ts': [6, 10] } }),
      reach('src/z.test.ts', 1, { ran: {} }),
      reach('src/w.test.ts', 1, { passes: false }),
    ];
    assert.deepEqual(names(all), [['src/x.test.ts']]);
  });

  test('run nearest and fastest first, the first alone', () => {
    const all = [
      reach('src/slow.test.ts', 1_500),
      reach('src/fast.test.ts', 100),
      reach('src/a/b.test.ts', 200),
      reach('src/later.test.ts', 8_000),
    ];
    assert.deepEqual(names(all), [
      ['src/a/b.test.ts'],
      ['src/fast.test.ts', 'src/slow.test.ts'],
      ['src/later.test.ts'],
    ]);
  });

  test('end at the time that is given, but for the first', () => {
    const all = [reach('src/a/b.test.ts', 9_000), reach('src/c.test.ts', 5_000)];
    assert.deepEqual(names(all, 8_000), [['src/a/b.test.ts']]);
  });
});
