import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { DatabaseUnavailableError } from '../database/database.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { probeLedger } from '../ledger/probe-ledger.ts';
import { createLedgerWatch } from './watch-ledger.ts';

async function openFile(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'courier-watch-ledger-'));
  const file = join(folder, 'ledger.db');
  const ledger = await openLedger(`sqlite:${file}`);
  t.after(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true });
  });
  return { file, ledger };
}

/** A watch whose ledger answers as `scene.failure` says, on a clock of the test. */
function openWatch(ask?: () => Promise<DatabaseUnavailableError | null>) {
  const scene = { failure: null as DatabaseUnavailableError | null, at: 0, refuses: false };
  const reported: string[] = [];
  const stopped: Error[] = [];
  const look = createLedgerWatch({
    ask: ask ?? (async () => scene.failure),
    now: () => scene.at,
    async tell(trouble) {
      if (scene.refuses) throw new Error('no channel took it');
      reported.push(trouble === null ? 'over' : `${trouble.since}: ${trouble.why}`);
    },
    stop: (error) => stopped.push(error),
  });
  return { scene, reported, stopped, look };
}

const FULL = new DatabaseUnavailableError('the SQLite file cannot be used: database or disk is full', {
  failure: 'full',
});

describe('the ledger of a worker', () => {
  test('that cannot be written for a minute is reported once, and once when it can again', async () => {
    const { scene, reported, stopped, look } = openWatch();
    scene.failure = FULL;
    for (; scene.at <= 300_000; scene.at += 5_000) await look();
    assert.equal(reported.length, 1);
    assert.match(
      reported[0] ?? '',
      /^0: The ledger cannot be written now: .*is full.*Free space on its disk, or see why/,
    );
    scene.failure = null;
    await look();
    await look();
    assert.deepEqual([reported.length, reported[1]], [2, 'over']);
    assert.deepEqual(stopped, []);
  });

  test('that cannot be written for less is reported to nobody', async () => {
    const { scene, reported, look } = openWatch();
    for (const failure of [FULL, FULL, null, FULL, null]) {
      scene.failure = failure;
      await look();
      scene.at += 30_000;
    }
    assert.deepEqual(reported, []);
  });

  test('is reported again while no channel takes the message', async () => {
    const { scene, reported, look } = openWatch();
    Object.assign(scene, { failure: FULL, refuses: true });
    await look();
    scene.at = 60_000;
    await assert.rejects(look(), /no channel/);
    scene.refuses = false;
    await look();
    assert.equal(reported.length, 1);
  });

  for (const [what, change] of [
    ['removed', (file: string) => rmSync(file)],
    ['replaced by another file', (file: string, other: string) => renameSync(other, file)],
  ] as const) {
    test(`that is ${what} records nothing more, is reported at once and ends the worker`, async (t) => {
      const { file, ledger } = await openFile(t);
      const other = await openFile(t);
      assert.equal(await probeLedger(ledger), null);
      change(file, other.file);
      await assert.rejects(
        ledger.db.tx(async () => undefined),
        (error: Error) => error instanceof DatabaseUnavailableError && error.failure === 'replaced',
      );
      const { reported, stopped, look } = openWatch(() => probeLedger(ledger));
      await look();
      assert.match(reported[0] ?? '', new RegExp(`was ${what}.*"courier recover"`));
      assert.equal(stopped.length, 1);
    });
  }
});
