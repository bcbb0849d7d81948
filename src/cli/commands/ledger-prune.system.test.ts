import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { courier, folderFor, ofType } from '../../../test/support/cli.ts';
import { seedReportLedger } from '../../../test/support/report-ledger.ts';
import { openDatabase } from '../../database/open.ts';

async function openFolder(t: TestContext, retention: string): Promise<string> {
  const folder = folderFor(
    t,
    () => `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { env: COURIER_API_KEY } }
watches:
  shop: { account: main, sitemaps: ["https://shop.example/sitemap.xml"] }
ledger: { url: "sqlite:ledger.db" }
${retention}
`,
  );
  const db = openDatabase(`sqlite:${join(folder, 'ledger.db')}`);
  await seedReportLedger(db, { watches: ['shop'], urls: 4_000, days: 40, now: Date.now() });
  await db.close();
  return folder;
}

describe('courier ledger prune', () => {
  test('counts, then removes what it counted, keeps it in the archive and makes the file smaller', async (t) => {
    const folder = await openFolder(t, 'retention: { index_checks: 10d, archive: kept }');
    const counted = await courier(folder, 'ledger', 'prune', '--dry-run', '--vacuum');
    const { rows, archive, freed_bytes: untouched } = counted.records.at(-1)!;
    assert.ok(Number(rows) > 1_000, String(rows));
    assert.deepEqual([counted.code, archive, untouched], [0, null, null]);

    const removed = await courier(folder, 'ledger', 'prune', '--vacuum');
    const summary = removed.records.at(-1)!;
    assert.deepEqual([removed.code, summary.rows], [0, rows]);
    assert.deepEqual(
      ofType(removed, 'pruned').map((each) => [each.table, Number(each.rows) > 0]),
      [
        ['run_sitemaps', false],
        ['run_skips', false],
        ['unread_jobs', false],
        ['batch_answers', false],
        ['check_urls', true],
      ],
    );
    assert.deepEqual(
      readdirSync(join(folder, 'kept')).map((name) => join(folder, 'kept', name)),
      [summary.archive],
    );
    assert.ok(Number(summary.freed_bytes) > 10_000, String(summary.freed_bytes));
    const again = await courier(folder, 'ledger', 'prune');
    assert.deepEqual([again.code, again.records.at(-1)?.rows, again.records.at(-1)?.archive], [0, 0, null]);
  });

  test('without "retention", or with an age that is too short, it removes nothing and ends with 2', async (t) => {
    const none = await courier(await openFolder(t, ''), 'ledger', 'prune');
    assert.deepEqual([none.code, /has no "retention", so nothing was removed/.test(none.stderr)], [2, true]);
    const short = await courier(await openFolder(t, 'retention: { runs: 1d }'), 'ledger', 'prune');
    assert.deepEqual([short.code, /retention\.runs: "1d" is too short/.test(short.stderr)], [2, true], short.stderr);
  });
});
