import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { courier, folderFor, ofType, printCourier } from '../../../test/support/cli.ts';
import { seedReportLedger } from '../../../test/support/report-ledger.ts';
import { openDatabase } from '../../database/open.ts';

async function openFolder(t: TestContext): Promise<string> {
  const folder = folderFor(
    t,
    () => `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { env: COURIER_API_KEY } }
  other: { base_url: "https://service.example/api/v1", api_key: { env: COURIER_API_KEY } }
watches:
  shop: { account: main, sitemaps: ["https://shop.example/sitemap.xml"] }
  blog: { account: other, sitemaps: ["https://blog.example/sitemap.xml"] }
ledger: { url: "sqlite:ledger.db" }
`,
  );
  const db = openDatabase(`sqlite:${join(folder, 'ledger.db')}`);
  await seedReportLedger(db, { watches: ['shop'], urls: 60, days: 10, now: Date.now(), batchSize: 10 });
  await db.close();
  return folder;
}

const listReports = (folder: string) => readdirSync(folder).filter((name) => /^courier-report-.*\.html$/.test(name));

describe('courier report', () => {
  test('writes one page and never over another, unless the file is named', async (t) => {
    const folder = await openFolder(t);
    const text = await printCourier(folder, 'report');
    const [file] = listReports(folder);
    assert.match(text, /^courier-report-\d{4}-\d\d-\d\d\.html: 2 watches\.\n$/);
    const page = readFileSync(join(folder, file!), 'utf8');
    assert.match(page, /^<!doctype html>\n<html lang="en">[\s\S]*shop: \d+% of \d+ listed URLs are bought/);

    const again = await courier(folder, 'report', '--out', file!);
    assert.deepEqual([again.code, again.records.at(-1)?.file], [0, file]);
    assert.match(readFileSync(join(folder, file!), 'utf8'), /^<!doctype html>/);
    const [plain, turkish] = [
      await printCourier(folder, 'report'),
      await printCourier(folder, 'report', '--lang', 'tr', '--out', '-'),
    ];
    assert.deepEqual([plain, listReports(folder)], ['', [file]]);
    assert.match(turkish, /^<!doctype html>\n<html lang="tr">/);
  });

  test('--json prints every figure and writes no file', async (t) => {
    const folder = await openFolder(t);
    const made = await courier(folder, 'report', '--days', '8');
    assert.deepEqual([made.code, made.records.at(-1)?.file, listReports(folder)], [0, null, []]);
    for (const type of ['period', 'coverage', 'runs', 'spend', 'times', 'index_checks', 'due', 'failure', 'slowest'])
      assert.ok(ofType(made, `report_${type}`).length > 0, type);
    assert.equal(ofType(made, 'report_runs').length, 8);
    const one = await courier(folder, 'report', '--watch', 'blog');
    assert.deepEqual([one.records.at(-1)?.watches, ofType(one, 'report_runs')], [1, []]);
  });

  test('--csv prints the figures, and mistakes end with 2 before anything is written', async (t) => {
    const folder = await openFolder(t);
    const csv = await printCourier(folder, 'report', '--csv', '--account', 'main');
    assert.match(csv, /^figure,day,account,watch,stage,measure,value,text\r\ncoverage,/);
    assert.equal(listReports(folder).length, 0);
    for (const [args, message] of [
      [['--watch', 'shpo'], /no watch "shpo"/],
      [['--account', 'mian'], /no account "mian"/],
      [['--watch', 'shop', '--account', 'other'], /No watch is left/],
      [['--since', '2026-02-31'], /Write a day such as/],
      [['--since', '2199-01-01'], /in the future/],
      [['--days', '0'], /1 to 366/],
      [['--csv'], /two forms of the same figures/],
      [['--out', '-'], /writes to standard output already/],
      [['--out', join(folder, 'none', 'x.html')], /was not written to .*Nothing was changed/],
    ] as const) {
      const { code, stderr } = await courier(folder, 'report', ...args);
      assert.deepEqual([code, message.test(stderr)], [2, true], `${args.join(' ')}: ${stderr}`);
    }
    assert.equal(existsSync(join(folder, 'none')), false);
  });
});
