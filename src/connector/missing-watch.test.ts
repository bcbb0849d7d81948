import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WatchId } from '../submission/ids.ts';
import { findMissingWatch } from './missing-watch.ts';

const SHOP = 'shop' as WatchId;
const BLOG = 'blog' as WatchId;
const bought = [
  { project: 'Shop', watch: SHOP },
  { project: 'Both', watch: SHOP },
  { project: 'Both', watch: BLOG },
];
const find = (project: string | null, ...configured: readonly WatchId[]) =>
  findMissingWatch(bought, new Set(configured), project);

describe('the watch of a job that is not in the configuration', () => {
  test('is the only one that has bought under its project', () => {
    assert.equal(find('Shop [sc00112233445566]', BLOG), SHOP);
    assert.equal(find('Shop'), SHOP);
  });

  test('is not named where it is configured, or where several or none have bought', () => {
    assert.deepEqual([find('Shop', SHOP), find('Both'), find('Shop window'), find(null)], [null, null, null, null]);
  });
});
