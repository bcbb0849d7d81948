import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { Logger } from '../observability/log.ts';
import type { WatchId } from '../submission/ids.ts';
import { createReload } from './reload.ts';

const write = (watches: readonly string[], more = '') => `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { file: key }${more} }
watches:
${watches.map((name) => `  ${name}: { account: main, sitemaps: ["https://shop.example/${name}.xml"] }`).join('\n')}
`;

function openScene(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'courier-reload-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'courier.yaml');
  writeFileSync(join(folder, 'key'), 'a-key');
  writeFileSync(path, write(['shop']));
  const applied: Config[] = [];
  const lines: string[] = [];
  const invalid: boolean[] = [];
  let failures = 0;
  const note = (level: string) => (_fields: object, message: string) => lines.push(`${level} ${message}`);
  const check = createReload({
    path,
    config: loadConfig(path),
    log: { info: note('info'), warn: note('warn'), error: note('error') } as unknown as Logger,
    setInvalid: (is) => invalid.push(is),
    async apply(next) {
      if (failures-- > 0) throw new Error('no server');
      applied.push(next);
    },
  });
  return {
    ...{ folder, path, applied, lines, invalid },
    failNext: (times: number) => {
      failures = times;
    },
    save: (text: string) => writeFileSync(path, text),
    /** As many seconds pass. */
    async check(times: number) {
      for (let n = 0; n < times; n++) await check();
    },
  };
}

describe('reload of the configuration', () => {
  test('a changed file is in force at the second check, and the change is logged by name', async (t) => {
    const { save, check, applied, lines } = openScene(t);
    await check(3);
    assert.equal(applied.length, 0);
    save(write(['blog', 'news']));
    await check(1);
    assert.equal(applied.length, 0, 'an editor may be halfway through the file');
    await check(3);
    assert.equal(applied.length, 1);
    assert.deepEqual([...(applied[0]?.watches.keys() ?? [])], ['blog', 'news']);
    assert.deepEqual(lines, ['info the configuration was reloaded: watch added: blog, news; watch removed: shop']);
  });

  test('a bad change keeps the last good configuration and is logged once; a good one afterwards is in force', async (t) => {
    const { save, check, applied, lines, invalid } = openScene(t);
    save(write(['shop']).replace('account: main', 'account: mian'));
    await check(60);
    assert.equal(invalid.at(-1), true, 'the metrics show it');
    assert.equal(applied.length, 0);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /courier\.yaml:5:\d+.*"mian".*\n.*continues with the configuration before/s);
    save('watches: [');
    await check(60);
    assert.equal(lines.length, 2, 'another mistake is another line');
    save(write(['shop', 'blog']));
    await check(2);
    assert.deepEqual([applied.length, lines.length], [1, 3]);
    await check(1);
    assert.equal(invalid.at(-1), false);
  });

  test('a bad change that is undone is not put in force again', async (t) => {
    const { save, check, applied } = openScene(t);
    save('watches: [');
    await check(3);
    save(write(['shop']));
    await check(3);
    assert.equal(applied.length, 0);
  });

  test('a file in courier.d that is added, changed or removed counts', async (t) => {
    const { folder, check, applied } = openScene(t);
    mkdirSync(join(folder, 'courier.d'));
    const part = join(folder, 'courier.d', 'blog.yaml');
    writeFileSync(part, 'watches: { blog: { account: main, sitemaps: ["https://blog.example/sitemap.xml"] } }');
    await check(2);
    assert.ok(applied[0]?.watches.has('blog' as WatchId));
    rmSync(part);
    writeFileSync(join(folder, 'courier.d', 'other.yaml'), 'defaults: { service: fast }');
    await check(2);
    assert.deepEqual(
      [...(applied[1]?.watches.values() ?? [])].map(({ id, service }) => [id, service]),
      [['shop', 'fast']],
    );
  });

  test('a key that cannot be read keeps the last good configuration until it can', async (t) => {
    const { folder, save, check, applied, lines } = openScene(t);
    save(write(['shop']).replace('file: key', 'file: other'));
    await check(9);
    assert.deepEqual([applied.length, lines.length], [0, 1]);
    writeFileSync(join(folder, 'other'), 'another-key');
    await check(1);
    assert.equal(applied.length, 1);
  });

  test('what fails to be put in force is tried again at each check, and logged once', async (t) => {
    const { save, check, applied, lines, failNext } = openScene(t);
    failNext(5);
    save(write(['blog']));
    await check(7);
    assert.equal(applied.length, 1);
    assert.deepEqual(
      lines.map((line) => line.split(' ')[0]),
      ['warn', 'info'],
    );
  });

  test('a worker that began with few watches says once that many are read some at a time', async (t) => {
    const { save, check, lines } = openScene(t);
    const many = Array.from({ length: 25 }, (_, at) => `watch-${at}`);
    save(write(many.slice(0, 24)));
    await check(3);
    assert.equal(lines.length, 1);
    save(write(many));
    await check(3);
    assert.match(
      lines[2] ?? '',
      /^warn this worker began with fewer watches and reads at most 24 of the 25 at once; restart it/,
    );
    save(write(many.slice(1)));
    await check(3);
    save(write([...many, 'more']));
    await check(3);
    assert.equal(lines.filter((line) => line.startsWith('warn')).length, 2, 'again only after fewer were enough');
  });

  test('another ledger or Temporal server waits for a restart; the rest is in force', async (t) => {
    const { save, check, applied, lines } = openScene(t);
    save(`${write(['blog'])}ledger: { url: "sqlite:other.db" }\n`);
    await check(5);
    assert.match(applied[0]?.ledgerUrl ?? '', /\.courier\/ledger\.db$/);
    assert.ok(applied[0]?.watches.has('blog' as WatchId));
    assert.match(lines[1] ?? '', /changes of ledger are not in force before the worker is restarted/);
    assert.equal(lines.length, 2);
  });
});
