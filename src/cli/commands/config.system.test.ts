import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { courier, folderFor, ofType, printCourier } from '../../../test/support/cli.ts';

const configOf = (ledger?: string) => `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { file: courier.key } }
watches:
  shop: { account: main, sitemaps: [sitemap.xml], hosts: [shop.example] }
${ledger === undefined ? '' : `ledger: { url: "${ledger}" }\n`}`;

const folderOf = (t: TestContext): string => folderFor(t, () => configOf());

describe('courier validate', () => {
  test('reports secrets and local sitemaps that cannot be read, with their places', async (t) => {
    const folder = folderOf(t);
    const { code, stderr } = await courier(folder, 'validate');
    assert.equal(code, 2);
    assert.match(stderr, /courier\.yaml:3:64 accounts\.main\.api_key: The secret file .* cannot be read \(ENOENT\)/);
    assert.match(stderr, /courier\.yaml:5:37 watches\.shop\.sitemaps\.0: "sitemap\.xml": this file does not exist/);

    writeFileSync(join(folder, 'courier.key'), 'usk_1\n');
    mkdirSync(join(folder, 'sitemap.xml'));
    assert.match((await courier(folder, 'validate')).stderr, /"sitemap\.xml" is a folder; name the files/);
    rmSync(join(folder, 'sitemap.xml'), { recursive: true });
    writeFileSync(join(folder, 'sitemap.xml'), '<urlset/>');
    assert.equal((await courier(folder, 'validate')).code, 0);
    assert.equal(await printCourier(folder, 'validate'), 'courier.yaml is valid: 1 account, 1 watch.\n');
  });
});

describe('courier validate, of a configuration that works', () => {
  test('warns of a ledger that is another file, and of none that may be one', async (t) => {
    const folder = folderOf(t);
    writeFileSync(join(folder, 'courier.key'), 'usk_1\n');
    writeFileSync(join(folder, 'sitemap.xml'), '<urlset/>');
    writeFileSync(join(folder, 'courier.yaml'), configOf('sqlite:courier.key'));
    const run = await courier(folder, 'validate');
    assert.equal(run.code, 0);
    assert.match(run.stderr, /ledger\.url: courier\.key is a file of another kind, or damaged; name a file of its own/);
    writeFileSync(join(folder, 'courier.yaml'), configOf('sqlite:ledger.db'));
    assert.equal((await courier(folder, 'status')).code, 0);
    assert.deepEqual(ofType(await courier(folder, 'validate'), 'warning'), []);
  });

  test('warns of settings that probably do not do what was meant, and exits with 0', async (t) => {
    const folder = folderFor(
      t,
      () => `version: 1
accounts:
  main: { base_url: "http://service.example/api/v1", api_key: { file: courier.key } }
watches:
  shop: { account: main, sitemaps: ["https://shop.example/sitemap.xml"], hosts: [shop.exmaple] }
report: { cron: "0 7 31 2 *", folder: /proc }
`,
    );
    writeFileSync(join(folder, 'courier.key'), 'usk_1\n');
    const run = await courier(folder, 'validate');
    assert.deepEqual([run.code, run.records.at(-1)?.warnings], [0, 4]);
    assert.deepEqual(
      ofType(run, 'warning').map(({ line, column, path }) => [line, column, path]),
      [
        [3, 21, 'accounts.main.base_url'],
        [5, 82, 'watches.shop.hosts.0'],
        [6, 17, 'report.cron'],
        [6, 39, 'report.folder'],
      ],
    );
    assert.match(
      run.stderr,
      /^warning: courier\.yaml:5:82 watches\.shop\.hosts\.0: "shop\.exmaple" differs .*; did you mean "shop\.example"\?$/m,
    );
    assert.match(run.stderr, /report\.folder: \/proc cannot be written \(it is of the kernel\)/);
    const text = await printCourier(folder, 'validate');
    assert.equal(text, 'courier.yaml is valid: 1 account, 1 watch, 4 warnings.\n');
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
