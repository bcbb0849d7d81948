import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { completeRun, DAY, testLedger } from '../../test/support/ledger.ts';
import { readWith } from '../../test/support/read-section.ts';
import type { Logger } from '../observability/log.ts';
import { writeScheduledReport } from './write-report.ts';

const write = (report: string, folder = '/etc') => readWith(`report: ${report}`, join(folder, 'courier.yaml'));

describe('the scheduled report', () => {
  testLedger('is written into its folder, in its language, and the newest are kept', async (ledger, t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-scheduled-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const config = write('{ cron: "0 7 * * *", folder: out, keep: 2, language: tr }', folder);
    const lines: string[] = [];
    const log = { info: (_: object, line: string) => lines.push(line) } as unknown as Logger;
    await completeRun(ledger, 'r1', { a: ['1'] });
    for (let day = 0; day < 3; day++) {
      await writeScheduledReport(ledger, config, config.report!, log);
      ledger.pass(DAY);
    }
    const files = ['courier-report-2026-01-16.html', 'courier-report-2026-01-17.html'];
    assert.deepEqual(readdirSync(join(folder, 'out')).sort(), files);
    assert.match(readFileSync(join(folder, 'out', files[1]!), 'utf8'), /<html lang="tr">/);
    assert.equal(lines.length, 3);
  });
});

describe('settings of the report', () => {
  test('the folder is relative to the configuration, and the rest has defaults', () => {
    assert.deepEqual(write('{ cron: "0 7 * * 1", folder: reports }').report, {
      cron: '0 7 * * 1',
      timezone: 'UTC',
      folder: '/etc/reports',
      days: 31,
      keep: 30,
      language: 'en',
    });
  });

  for (const [what, report, message] of [
    ['no folder', '{ cron: "0 7 * * 1" }', /report.*folder/],
    ['an impossible time', '{ cron: "0 25 * * 1", folder: x }', /report\.cron: "25" of "0 25 \* \* 1" is not an hour/],
    ['an unknown zone', '{ cron: "0 7 * * 1", folder: x, timezone: Istanbul }', /report\.timezone/],
    ['an unknown language', '{ cron: "0 7 * * 1", folder: x, language: de }', /report\.language/],
    ['too many days', '{ cron: "0 7 * * 1", folder: x, days: 400 }', /report\.days/],
  ] as const) {
    test(`${what} is a mistake with its place`, () => {
      assert.throws(() => write(report), message);
    });
  }
});
