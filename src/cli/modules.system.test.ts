import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { publish } from '../../test/support/cli.ts';
import { openService } from '../../test/support/service.ts';
import { openShopFolder } from '../../test/support/shop-folder.ts';

const root = new URL('../../', import.meta.url);
const main = fileURLToPath(new URL('main.ts', import.meta.url));
const recorder = new URL('../../test/support/record-modules.ts', import.meta.url).href;

/** The files that a command loads, relative to the checkout. */
async function listModules(folder: string, ...args: string[]): Promise<string[]> {
  const file = join(folder, 'modules');
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--import', recorder, main, ...args],
    {
      cwd: folder,
      env: { ...process.env, RECORDED_MODULES: file },
      stdio: 'ignore',
    },
  );
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  const urls = readFileSync(file, 'utf8').split('\n');
  return urls.filter((url) => url.startsWith(root.href)).map((url) => url.slice(root.href.length));
}

const listPackages = (files: readonly string[]): string[] =>
  [...new Set(files.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []))].toSorted();

/** Every cron line pays for what its command loads. Modules that only some runs need are loaded when they are needed. */
describe('the modules that a command loads', () => {
  test('courier plan with nothing new loads no validator, no schema library, no driver and no Temporal', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const folder = await openShopFolder(t, service, '', { firstRun: 'baseline' });
    publish(folder, ['a', 'b']);
    const files = await listModules(folder, '--quiet', 'plan');
    assert.deepEqual(listPackages(files), [
      'commander',
      'fastest-levenshtein',
      'ipaddr.js',
      'picomatch',
      'undici',
      'yaml',
    ]);
    assert.ok(!files.includes('node_modules/undici/index.js'), 'all of undici');
    assert.ok(files.length < 410, `${files.length} files`);
  });

  test('courier crawl loads little more than the crawler', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const folder = await openShopFolder(t, service);
    publish(folder, ['a', 'b']);
    const files = await listModules(folder, '--quiet', 'crawl', 'sitemap.xml');
    assert.deepEqual(listPackages(files), ['commander', 'ipaddr.js']);
    assert.ok(files.length < 120, `${files.length} files`);
  });
});
