import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startService } from '../../service/serve.ts';
import { courier, ofType, publish } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { AMPLE } from '../support/service.ts';
import { openShopFolder } from '../support/shop-folder.ts';
import { temporalAddress } from '../support/temporal.ts';

/** A command as cron starts it, with what it prints on each stream. */
async function runQuietly(folder: string, ...args: string[]) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...args], { cwd: folder });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  return { code, stdout, stderr };
}

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

describe('with cron alone, where no worker runs', () => {
  test('approve, reject and index-check do the work themselves with --once', async (t) => {
    const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
    t.after(() => service.close());
    const watch = 'guard: { max_new: 2 }, index_check: { every: 1d }';
    const folder = await openShopFolder(t, service, await temporalAddress(t), { watch });
    publish(folder, ['1', '2', '3']);
    const held = await courier(folder, 'run', '--once');
    assert.equal(held.code, 8, held.stderr);
    const run = /courier approve (\S+)"/.exec(held.stderr)?.[1] ?? assert.fail(held.stderr);
    assert.match(held.stderr, /with --once where no "courier worker" runs/);

    const approved = await courier(folder, 'approve', run, '--once', '--note', 'relaunch');
    assert.equal(approved.code, 0, approved.stderr);
    const records = ofType(approved, 'run');
    assert.deepEqual(
      records.map(({ decision, result }) => [decision, (result as { submitted: number }).submitted]),
      [['approved', 3]],
    );

    publish(folder, ['1', '2', '3', '4', '5', '6']);
    const again = await courier(folder, 'run', '--once');
    const second = /courier approve (\S+)"/.exec(again.stderr)?.[1] ?? assert.fail(again.stderr);
    const rejected = await courier(folder, 'reject', second, '--once');
    assert.equal(rejected.code, 0, rejected.stderr);
    assert.equal(ofType(rejected, 'run')[0]?.decision, 'rejected');

    publish(folder, ['1', '2', '3', '7']);
    const quiet = await runQuietly(folder, 'run', '--once', '--quiet');
    assert.deepEqual(quiet, { code: 0, stdout: '', stderr: '' }, 'a success is silent');
    publish(folder, []);
    const empty = await runQuietly(folder, 'run', '--once', '--quiet');
    assert.deepEqual([empty.code, empty.stdout], [3, '']);
    assert.match(
      empty.stderr,
      /^shop: 0 found.*\nshop: .*it lists no URL/,
      'what is wrong is on the stream of the errors',
    );
    const late = await courier(folder, 'run', '--once', '--max-time', '1ms');
    assert.equal(late.code, 5, late.stderr);
    assert.match(late.stderr, /Stopped after 1ms \(--max-time\)/);

    const checked = await courier(folder, 'index-check', '--once');
    assert.equal(checked.code, 0, checked.stderr);
    assert.equal(ofType(checked, 'index_check')[0]?.checked, 0, 'nothing has been completed, so nothing is due');
  });
});
