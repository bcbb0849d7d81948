import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { courier, folderFor, ofType, printCourier } from '../../../test/support/cli.ts';

const folderOf = (t: TestContext): string =>
  folderFor(
    t,
    () => `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { file: courier.key } }
watches:
  shop: { account: main, sitemaps: [sitemap.xml], hosts: [shop.example] }
`,
  );

describe('courier validate', () => {
  test('reports secrets and local sitemaps that cannot be read, with their places', async (t) => {
    const folder = folderOf(t);
    const { code, stderr } = await courier(folder, 'validate');
    assert.equal(code, 2);
    assert.match(stderr, /courier\.yaml:3:64 accounts\.main\.api_key: The secret file .* cannot be read \(ENOENT\)/);
    assert.match(stderr, /courier\.yaml:5:37 watches\.shop\.sitemaps\.0: "sitemap\.xml": this file does not exist/);

    writeFileSync(join(folder, 'courier.key'), 'usk_1\n');
    writeFileSync(join(folder, 'sitemap.xml'), '<urlset/>');
    assert.equal((await courier(folder, 'validate')).code, 0);
    assert.equal(await printCourier(folder, 'validate'), 'courier.yaml is valid: 1 account, 1 watch.\n');
  });
});

describe('courier config show', () => {
  test('shows each setting with its file and line, also of courier.d', async (t) => {
    const folder = folderOf(t);
    mkdirSync(join(folder, 'courier.d'));
    writeFileSync(
      join(folder, 'courier.d', 'blog.yaml'),
      'watches:\n  blog: { account: main, sitemaps: [blog.xml] }\n',
    );
    const shown = await courier(folder, 'config', 'show');
    assert.deepEqual(shown.records.at(-1)?.files, ['courier.yaml', 'courier.d/blog.yaml']);
    const account = ofType(shown, 'setting').find(({ key }) => key === 'watches.blog.account');
    assert.deepEqual(account, {
      type: 'setting',
      key: 'watches.blog.account',
      value: 'main',
      origin: 'file',
      file: 'courier.d/blog.yaml',
      line: 2,
    });
    const text = await printCourier(folder, 'config', 'show', 'watches.blog.account');
    assert.equal(text, 'watches.blog.account  main  courier.d/blog.yaml:2\n');
  });
});
