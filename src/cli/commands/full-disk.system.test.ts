import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { courier, ended, folderFor, ofType, publish } from '../../../test/support/cli.ts';
import { openLedger } from '../../ledger/open-ledger.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

describe('a disk that is full', () => {
  test('ends a plan with 5 and says what is kept; with space again the plan is whole', async (t) => {
    const folder = folderFor(
      t,
      () => `version: 1
accounts:
  main: { base_url: "http://127.0.0.1:9/api/v1", api_key: { file: key }, price_per_url: 0.25 TRY }
watches:
  shop: { account: main, sitemaps: [sitemap.xml], hosts: [shop.example], first_run: submit }
ledger: { url: "sqlite:ledger.db" }
`,
    );
    const pages = Array.from({ length: 9_000 }, (_, n) => `products/item-number-${n}`);
    publish(folder, pages);
    // No file may grow beyond 1,100 blocks: the ledger's own tables fit, nine thousand pages do not.
    const node = `'${process.execPath}' --disable-warning=ExperimentalWarning '${main}'`;
    const script = `ulimit -f 1100; exec ${node} "$0" "$@"`;
    const limited = spawn('bash', ['-c', script, 'plan', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const full = await ended(limited);
    assert.equal(full.code, 5, full.stderr);
    assert.match(
      String(full.records.at(-1)?.error),
      /^The ledger cannot be written now: .*(disk I\/O error|is full)\. What was recorded before is kept: .*Free space/,
    );
    const status = await courier(folder, 'status');
    assert.deepEqual([status.code, ofType(status, 'account')[0]?.charged_ever_micros], [0, 0], status.stderr);
    const [plan] = ofType(await courier(folder, 'plan'), 'plan');
    assert.deepEqual([plan?.found, plan?.urls], [pages.length, pages.length], join(folder, 'ledger.db'));
  });
});

const CONFIG = `version: 1
accounts:
  main: { base_url: "http://127.0.0.1:9/api/v1", api_key: { file: key }, price_per_url: 0.25 TRY }
watches:
  shop: { account: main, sitemaps: [sitemap.xml], hosts: [shop.example], first_run: submit }
ledger: { url: "sqlite:ledger.db" }
`;

describe('a monitor of a ledger whose disk is full', () => {
  test('sees it, also while every watch is well', async (t) => {
    const folder = folderFor(t, () => CONFIG);
    publish(folder, ['a']);
    writeFileSync(join(folder, 'key'), 'a-key');
    // Held open, so that its log has grown: another line does not fit below the limit.
    const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    t.after(() => ledger.close());
    const check = async (blocks: string) => {
      const node = `'${process.execPath}' --disable-warning=ExperimentalWarning '${main}'`;
      const script = `ulimit -f ${blocks}; exec ${node} "$0" "$@"`;
      return ended(
        spawn('bash', ['-c', script, 'status', '--check', '--json'], {
          cwd: folder,
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      );
    };
    assert.equal((await check('unlimited')).code, 0);
    const full = await check('64');
    assert.equal(full.code, 5, full.stderr);
    const [problem] = full.records.filter(({ type }) => type === 'problem');
    assert.equal(problem?.subject, 'ledger');
    assert.match(String(problem?.problem), /^The ledger cannot be written now: .*Free space on its disk, or see why/);
  });
});

describe('a ledger file that is damaged', () => {
  for (const [what, damage] of [
    ['as a whole', (path: string) => writeFileSync(path, randomBytes(20_000))],
    ['in its pages', overwritePages],
  ] as const) {
    test(`${what} ends a command with 3, which nothing repeats by itself, and names the way back`, async (t) => {
      const folder = folderFor(t, () => CONFIG);
      publish(folder, ['a']);
      assert.equal((await courier(folder, 'status')).code, 0);
      for (const end of ['-wal', '-shm']) rmSync(join(folder, `ledger.db${end}`), { force: true });
      damage(join(folder, 'ledger.db'));
      const run = await courier(folder, 'status');
      assert.equal(run.code, 3, run.stderr);
      assert.match(String(run.records.at(-1)?.error), /^The ledger is damaged: .*newest backup.*"courier recover"/);
      const unit = readFileSync(new URL('../../../deploy/systemd/courier-run.service', import.meta.url), 'utf8');
      assert.match(unit, /^RestartPreventExitStatus=.*\b3\b/m);
    });
  }

  test('is one finding of doctor, which looks at the rest all the same', async (t) => {
    const folder = folderFor(t, () => CONFIG);
    publish(folder, ['a']);
    writeFileSync(join(folder, 'ledger.db'), randomBytes(20_000));
    const run = await courier(folder, 'doctor');
    assert.equal(run.code, 3, run.stderr);
    const findings = ofType(run, 'finding');
    const [ledger] = findings.filter(({ check }) => check === 'ledger');
    assert.deepEqual([ledger?.level, ledger?.transient], ['fail', false]);
    assert.match(String(ledger?.next), /newest backup/);
    for (const check of ['configuration', 'secrets', 'sitemap', 'notifications'])
      assert.ok(
        findings.some((finding) => finding.check === check),
        check,
      );
  });
});

/** All but the first page, which says that it is a database. */
function overwritePages(path: string): void {
  const file = openSync(path, 'r+');
  const { size } = fstatSync(file);
  writeSync(file, randomBytes(Math.max(size - 4_096, 4_096)), 0, null, 4_096);
  closeSync(file);
}
