import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import type { Url } from '../url/normalize-url.ts';
import { freezeBatch } from './freeze.ts';
import type { AccountId, WatchId } from './ids.ts';

const base = {
  baseUrl: 'https://service.example/api/v1',
  account: 'main' as AccountId,
  watch: 'shop' as WatchId,
  service: 'standard' as const,
  project: 'Shop',
  generation: 1,
  urls: ['https://shop.example/ürün' as Url],
};

describe('freezeBatch', () => {
  test('another process, time zone and locale computes the same bytes and the same key', () => {
    const script = `
    import { freezeBatch } from ${JSON.stringify(new URL('./freeze.ts', import.meta.url).href)};
    process.stdout.write(JSON.stringify(freezeBatch(${JSON.stringify(base)})));`;
    const other = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
      env: { ...process.env, TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8' },
    });
    assert.deepEqual(JSON.parse(other), { ...freezeBatch(base) });
  });
});
