import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { getConfigFolder, listConfigFiles } from './files.ts';
import { loadConfig, loadConfigFiles } from './load.ts';

const ACCOUNTS = 'accounts:\n  main: { base_url: https://indexing.example/api/v1, api_key: { file: courier.key } }\n';
const watch = (name: string) => `watches:\n  ${name}: { account: main, sitemaps: [site.xml] }\n`;

/** Writes files into a folder of their own, and returns a path in it. */
function write(t: TestContext, files: Readonly<Record<string, string>>): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'files-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, name);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  }
  return path;
}

/** The message without the folder of the test. */
function complaint(path: (name: string) => string, name: string): string {
  try {
    loadConfig(path(name));
  } catch (error) {
    return (error as Error).message.replaceAll(`${path('.')}/`, '');
  }
  return '';
}

describe('a configuration of several files', () => {
  test('is courier.yaml with the files of courier.d, in the order of their names', (t) => {
    const path = write(t, {
      'courier.yaml': `version: 1\n${ACCOUNTS}`,
      'courier.d/20-blog.yaml': watch('blog'),
      'courier.d/10-shop.yml': `version: 1\n${watch('shop')}`,
      'courier.d/notes.txt': 'not YAML: [',
      'courier.d/.hidden.yaml': 'not YAML: [',
    });
    const { config, files } = loadConfigFiles(path('courier.yaml'));
    assert.deepEqual([...config.watches.keys()], ['shop', 'blog']);
    assert.deepEqual(files, [path('courier.yaml'), path('courier.d/10-shop.yml'), path('courier.d/20-blog.yaml')]);
    assert.deepEqual([...config.watches.values()][0]?.sources, [path('site.xml')], 'relative to courier.yaml');
  });

  test('is a folder, or courier.d without a courier.yaml', (t) => {
    const path = write(t, {
      'courier.d/accounts.yaml': `version: 1\n${ACCOUNTS}`,
      'courier.d/watches.yaml': watch('shop'),
      'conf/all.yaml': `version: 1\n${ACCOUNTS}${watch('shop')}`,
    });
    for (const name of ['courier.yaml', 'courier.d', 'conf'])
      assert.deepEqual([...loadConfig(path(name)).watches.keys()], ['shop'], name);
    assert.equal(getConfigFolder(path('courier.d')), path('').replace(/\/$/, ''), 'courier.d is part of its folder');
    assert.equal(getConfigFolder(path('conf')), path('conf'));
    assert.deepEqual(listConfigFiles(path('nowhere.yaml')), [path('nowhere.yaml')]);
  });

  test('has a name that two files have reported with both places', (t) => {
    const path = write(t, {
      'courier.yaml': `version: 1\n${ACCOUNTS}${watch('shop')}defaults: { service: fast }\n`,
      'courier.d/shop.yaml': `${watch('shop')}defaults: { service: standard }\n`,
    });
    assert.equal(
      complaint(path, 'courier.yaml'),
      'courier.yaml cannot be used, so nothing was started and nothing was charged:\n' +
        '  courier.d/shop.yaml:2:3 watches.shop is written twice; the first is in courier.yaml:5. Remove one of them\n' +
        '  courier.d/shop.yaml:3:1 defaults is written twice; the first is in courier.yaml:6. Remove one of them',
    );
  });

  test('has the mistakes of every file reported with their file', (t) => {
    const path = write(t, {
      'courier.yaml': `version: 1\n${ACCOUNTS}`,
      'courier.d/a.yaml': 'watches:\n  shop: { account: mian, sitemaps: [site.xml] }\n',
      'courier.d/b.yaml': 'watches:\n  blog: { account: main, sitemap: [site.xml] }\n',
    });
    assert.deepEqual(complaint(path, 'courier.yaml').split('\n').slice(1), [
      '  courier.d/a.yaml:2:20 watches.shop.account: no account is named "mian"; did you mean "main"?',
      '  courier.d/b.yaml:2:26 watches.blog: unknown setting "sitemap"; did you mean "sitemaps"?',
    ]);
  });

  test('without a file says how to write the first one', (t) => {
    const path = write(t, { 'empty/readme.md': '' });
    assert.match(complaint(path, 'courier.yaml'), /courier\.yaml: this file does not exist\. "courier init SITE"/);
    assert.match(complaint(path, 'empty'), /empty: this folder has no file whose name ends in \.yaml/);
  });
});
