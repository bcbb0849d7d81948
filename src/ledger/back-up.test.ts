import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { completeRun } from '../../test/support/ledger.ts';
import { CopyError } from '../database/copy-sqlite.ts';
import { sql } from '../database/sql.ts';
import { backUpLedger, restoreLedger } from './back-up.ts';
import { openLedger } from './open-ledger.ts';

const AT = Date.UTC(2026, 10, 25, 10, 45);
const SITEMAP = 'https://shop.example/sitemap.xml';

describe('a backup of a SQLite ledger', () => {
  let folder = '';
  let path = '';
  let url = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'courier-backup-'));
    path = join(folder, 'ledger.db');
    url = `sqlite:${path}`;
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const at = (name: string) => join(folder, name);

  /** A ledger with so many pages; all of it is still in the log. */
  async function openWith(pages: number, into = url) {
    const ledger = await openLedger(into, { now: () => AT });
    await completeRun(ledger, `r${pages}`, { [SITEMAP]: Array.from({ length: pages }, (_, page) => `${page}`) });
    return ledger;
  }

  test('has all that is committed, in one private file, while the ledger is in use', async () => {
    const ledger = await openWith(30);
    const before = statSync(path).size;
    const { urls, batches, bytes, ledger: id } = await backUpLedger(url, at('copy.db'));
    assert.deepEqual([urls, batches, id], [30, 0, ledger.id]);
    assert.equal(statSync(path).size, before, 'the ledger itself is as it was');
    assert.deepEqual([statSync(at('copy.db')).size, statSync(at('copy.db')).mode & 0o777], [bytes, 0o600]);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('copy')),
      ['copy.db'],
    );
    await ledger.close();
  });

  test('replaces no file, and leaves none behind where it fails', async () => {
    await (await openWith(1)).close();
    writeFileSync(at('mine'), 'mine');
    await assert.rejects(backUpLedger(url, at('mine')), /already exists; nothing was written/);
    assert.equal(statSync(at('mine')).size, 4);
    await assert.rejects(backUpLedger(`sqlite:${at('missing.db')}`, at('b')), /there is no database/);
    await assert.rejects(backUpLedger('postgres://db/x', at('b')), /pg_dump/);
    assert.equal(existsSync(at('b')), false);
  });

  test('is restored, and the ledger of before is kept whole', async () => {
    const ledger = await openWith(3);
    await backUpLedger(url, at('copy.db'));
    await completeRun(ledger, 'later', { [SITEMAP]: ['0', '1', '2', '3', '4'] });
    await ledger.close();
    chmodSync(at('copy.db'), 0o644);
    const { kept, urls } = restoreLedger(url, at('copy.db'), AT);
    assert.equal(urls, 3);
    const count = async (of: string) => {
      const opened = await openLedger(of);
      const { n } = await opened.db.one(sql<{ n: number }>`SELECT count(*) AS n FROM urls`);
      await opened.close();
      return n;
    };
    assert.equal(await count(url), 3);
    assert.equal(await count(`sqlite:${kept}`), 5);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.ok(existsSync(at('copy.db')), 'the backup itself stays');
  });

  test('is not restored while the ledger is in use, nor where the file is another one', async () => {
    const ledger = await openWith(3);
    await backUpLedger(url, at('copy.db'));
    const refuse = (file: string, why: RegExp) =>
      assert.throws(
        () => restoreLedger(url, at(file), AT),
        (error: Error) => error instanceof CopyError && why.test(error.message),
        String(why),
      );
    refuse('copy.db', /is in use, so nothing was changed/);
    await ledger.close();
    await (await openWith(1, `sqlite:${at('other.db')}`)).close();
    refuse('other.db', /is a copy of ledger .* nothing was changed/);
    writeFileSync(at('noise.db'), 'no database at all'.repeat(500));
    refuse('noise.db', /is damaged/);
    refuse('missing.db', /there is no file/);
    const opened = await openLedger(url);
    assert.equal((await opened.db.one(sql<{ n: number }>`SELECT count(*) AS n FROM urls`)).n, 3);
    await opened.close();
    assert.deepEqual(
      readdirSync(folder).filter((name) => /before|partial/.test(name)),
      [],
    );
  });

  test('takes the place of a damaged ledger, and of none', async () => {
    await (await openWith(3)).close();
    await backUpLedger(url, at('copy.db'));
    writeFileSync(path, 'noise'.repeat(5_000));
    const { kept } = restoreLedger(url, at('copy.db'), AT);
    assert.equal(statSync(String(kept)).size, 25_000);
    rmSync(path);
    assert.equal(restoreLedger(url, at('copy.db'), AT).kept, null);
    copyFileSync(path, at('again.db'));
    assert.equal(restoreLedger(url, at('again.db'), AT).urls, 3);
  });
});
