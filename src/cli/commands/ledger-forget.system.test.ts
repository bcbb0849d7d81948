import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { courier, ofType, printCourier, publish } from '../../../test/support/cli.ts';
import { crawled } from '../../../test/support/ledger.ts';
import { openService } from '../../../test/support/service.ts';
import { openShopFolder } from '../../../test/support/shop-folder.ts';
import { openLedger } from '../../ledger/open-ledger.ts';

const URLS = 'https://shop.example/a\nhttps://shop.example/b\n';

/** A folder whose watch "shop" has bought two pages. */
async function openBought(
  t: TestContext,
): Promise<{ folder: string; other: string; rename(from: string, to: string): void }> {
  const { service } = await openService(t, 'sqlite');
  const [folder, other] = [await openShopFolder(t, service), await openShopFolder(t, service)];
  writeFileSync(join(folder, 'sent.txt'), URLS);
  assert.equal((await courier(folder, 'ledger', 'import', 'sent.txt', '--watch', 'shop', '--yes')).code, 0);
  return {
    folder,
    other,
    rename(from, to) {
      const file = join(folder, 'courier.yaml');
      writeFileSync(file, readFileSync(file, 'utf8').replace(`  ${from}: {`, `  ${to}: {`));
    },
  };
}

const countPlanned = async (folder: string) => ofType(await courier(folder, 'plan'), 'plan')[0]?.urls;

describe('courier ledger forget', () => {
  test('removes the addresses of a removed watch from the file, and its pages are not bought again', async (t) => {
    const { folder, other, rename } = await openBought(t);
    const configured = await courier(folder, 'ledger', 'forget', '--watch', 'shop', '--yes');
    assert.deepEqual(
      [configured.code, /The watch shop is configured\. Nothing was forgotten/.test(configured.stderr)],
      [2, true],
    );
    rename('shop', 'store');

    const counted = await courier(folder, 'ledger', 'forget', '--watch', 'shop', '--dry-run');
    assert.deepEqual([counted.code, counted.records.at(-1)?.pages, counted.records.at(-1)?.dry_run], [0, 2, true]);
    const unasked = await courier(folder, 'ledger', 'forget', '--watch', 'shop');
    assert.deepEqual(
      [unasked.code, /2 pages would be forgotten\. Nothing was forgotten\. Add --yes/.test(unasked.stderr)],
      [2, true],
    );
    assert.match(readLedger(folder), /shop\.example\/a/);

    const forgotten = await courier(folder, 'ledger', 'forget', '--watch', 'shop', '--yes', '--vacuum');
    const { pages, kept } = forgotten.records.at(-1)!;
    assert.deepEqual([forgotten.code, pages, kept], [0, 2, 0], forgotten.stderr);
    assert.doesNotMatch(readLedger(folder), /shop\.example\/[ab]/);

    const shown = await courier(folder, 'ledger', 'show', 'https://shop.example/a');
    assert.equal(typeof ofType(shown, 'url_history')[0]?.forgotten_at, 'string');
    assert.match(await printCourier(folder, 'why', 'https://shop.example/a'), /the ledger forgot its address on/);

    assert.equal(ofType(await courier(folder, 'ledger', 'export'), 'forgotten_url').length, 2);
    const exported = await printCourier(folder, 'ledger', 'export');
    assert.doesNotMatch(exported, /shop\.example/);
    writeFileSync(join(other, 'export.jsonl'), exported);
    const moved = await courier(other, 'ledger', 'import', 'export.jsonl', '--yes');
    assert.deepEqual([moved.code, ofType(moved, 'imported')[0]?.added], [0, 2], moved.stderr);

    for (const where of [folder, other]) {
      publish(where, ['a', 'b', 'c']);
      assert.equal(await countPlanned(where), 1, 'only the page that was never bought');
    }
  });

  test('refuses pages that a configured watch lists, and forgets them once they are out of its sitemaps', async (t) => {
    const { folder } = await openBought(t);
    publish(folder, ['a', 'b']);
    assert.equal(await countPlanned(folder), 0);
    writeFileSync(join(folder, 'forget.txt'), '# gone\nhttps://SHOP.example/a\n');
    const refused = await courier(folder, 'ledger', 'forget', '--urls-from', 'forget.txt', '--yes');
    assert.equal(refused.code, 2);
    assert.match(
      refused.stderr,
      /The watch shop lists 1 of these pages\. Nothing was forgotten\..*courier ledger forget --urls-from forget\.txt/,
    );
    publish(folder, ['b']);
    assert.equal(await countPlanned(folder), 0);
    const forgotten = await courier(folder, 'ledger', 'forget', 'https://shop.example/a', '--yes');
    assert.deepEqual([forgotten.code, forgotten.records.at(-1)?.pages], [0, 1], forgotten.stderr);
    publish(folder, ['a', 'b']);
    assert.equal(await countPlanned(folder), 0);
  });

  test('ends with 9 while a run of the watch is under way', async (t) => {
    const { folder, rename } = await openBought(t);
    const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    t.after(() => ledger.close());
    await crawled(ledger, 'r1', { a: ['a'] });
    rename('shop', 'store');
    const { code, stderr } = await courier(folder, 'ledger', 'forget', '--watch', 'shop', '--yes');
    assert.equal(code, 9, stderr);
    assert.match(
      stderr,
      /2 pages are in a run of shop that has not ended.*Then type: courier ledger forget --watch shop/,
    );
    assert.match(readLedger(folder), /shop\.example\/a/);
  });

  test('says what is wrong with its arguments, and changes nothing', async (t) => {
    const { folder } = await openBought(t);
    writeFileSync(join(folder, 'bad.txt'), 'https://shop.example/a\nftp://shop.example/\n');
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /Name what to forget in one way/],
      [['--watch', 'shop', '--host', 'shop.example'], /Name what to forget in one way/],
      [['--watch', 'blog'], /The ledger has no watch "blog"/],
      [['--host', 'https://shop.example/'], /Write shop\.example\./],
      [['--urls-from', 'bad.txt'], /bad\.txt:2 "ftp:\/\/shop\.example\/" is not a page's URL/],
      [['--urls-from', 'none.txt'], /none\.txt cannot be read \(ENOENT\)/],
    ];
    for (const [args, message] of wrong) {
      const { code, stderr } = await courier(folder, 'ledger', 'forget', ...args, '--yes');
      assert.equal(code, 2, args.join(' '));
      assert.match(stderr, message);
    }
    assert.match(readLedger(folder), /shop\.example\/a/);
  });
});

/** The bytes of the ledger's files. */
const readLedger = (folder: string): string =>
  readdirSync(folder)
    .filter((name) => name.startsWith('ledger.db'))
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('');
