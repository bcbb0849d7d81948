import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { courier, ofType, printCourier, publish } from '../../../test/support/cli.ts';
import { openService } from '../../../test/support/service.ts';
import { openShopFolder } from '../../../test/support/shop-folder.ts';

describe('courier ledger export and import', () => {
  test('a list of URLs is recorded as submitted with --yes, and an export of it does the same elsewhere', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const folder = await openShopFolder(t, service);
    publish(folder, ['a', 'b', 'c']);
    writeFileSync(join(folder, 'sent.txt'), '# sent by hand\nhttps://shop.example/a\r\n\nhttps://SHOP.example/b\n');
    const trial = await courier(folder, 'ledger', 'import', 'sent.txt', '--watch', 'shop');
    assert.equal(trial.code, 0, trial.stderr);
    assert.match(trial.stderr, /Nothing was written.*add --yes/);
    assert.deepEqual(trial.records.at(-1)?.written, false);
    const planned = async (where: string) => ofType(await courier(where, 'plan'), 'plan')[0]?.urls;
    assert.equal(await planned(folder), 3, 'the trial wrote nothing');
    const imported = await courier(folder, 'ledger', 'import', 'sent.txt', '--watch', 'shop', '--yes');
    assert.deepEqual(
      ofType(imported, 'imported').map(({ watch, added, marked, known }) => [watch, added, marked, known]),
      [['shop', 0, 2, 0]],
    );
    assert.equal(await planned(folder), 1);

    const exported = await printCourier(folder, 'ledger', 'export');
    const records = ofType(await courier(folder, 'ledger', 'export'), 'purchased_url');
    assert.deepEqual(
      exported
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
      records,
    );
    const other = await openShopFolder(t, service);
    publish(other, ['a', 'b', 'c']);
    writeFileSync(join(other, 'export.jsonl'), exported);
    const moved = await courier(other, 'ledger', 'import', 'export.jsonl', '--yes');
    assert.deepEqual([moved.code, ofType(moved, 'imported')[0]?.added], [0, 2]);
    assert.equal(await planned(other), 1);
  });

  test('a table in place of a list is refused: its lines would be recorded as other pages', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const folder = await openShopFolder(t, service);
    const lines = [
      'https://shop.example/a,b',
      'https://shop.example/c,2024-01-01',
      'https://shop.example/d\t2024-01-01',
    ];
    writeFileSync(join(folder, 'sent.csv'), lines.join('\n'));
    const { code, stderr } = await courier(folder, 'ledger', 'import', 'sent.csv', '--watch', 'shop', '--yes');
    assert.equal(code, 2);
    assert.doesNotMatch(stderr, /sent\.csv:1/);
    assert.match(stderr, /sent\.csv:2 .* is not one URL and nothing else/);
    assert.match(stderr, /sent\.csv:3 .* is not one URL and nothing else/);
  });

  test('a file with mistakes is refused with the line of each, and nothing of it is written', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const folder = await openShopFolder(t, service);
    const line = { type: 'purchased_url', watch: 'shop', url: 'https://shop.example/a', generation: 1, lastmod: null };
    const lines = [
      JSON.stringify(line),
      JSON.stringify({ ...line, watch: 'blog' }),
      '{"type":"purchased_url"',
      JSON.stringify({ ...line, url: 'ftp://shop.example/' }),
      JSON.stringify({ ...line, generation: 0 }),
      JSON.stringify({ ...line, bought_at: 'yesterday' }),
      '{"type":"url"}',
      'https://shop.example/b',
    ];
    writeFileSync(join(folder, 'bad.jsonl'), lines.join('\n'));
    const refused = await courier(folder, 'ledger', 'import', 'bad.jsonl', '--yes');
    assert.equal(refused.code, 2);
    for (const [at, what] of [
      [2, 'names the watch "blog"'],
      [3, 'is not JSON'],
      [4, '"ftp://shop.example/" is not a URL'],
      [5, 'has no generation'],
      [6, 'has a bought_at that is no date'],
      [7, 'is of type "url"'],
      [8, 'names no watch'],
    ] as const)
      assert.ok(refused.stderr.includes(`bad.jsonl:${at} ${what}`), `${at}: ${refused.stderr}`);
    assert.ok(!refused.stderr.includes('bad.jsonl:1 '));
    assert.equal(await printCourier(folder, 'ledger', 'export'), '', 'nothing was written');
    const missing = await courier(folder, 'ledger', 'import', 'none.txt', '--watch', 'shop');
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /none\.txt cannot be read \(ENOENT\)/);
  });
});
