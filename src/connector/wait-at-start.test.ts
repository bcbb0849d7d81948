import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../../test/support/database.ts';
import { openProxy } from '../../test/support/database-proxy.ts';
import { DatabaseUnavailableError } from '../database/database.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { waitForDatabase } from './wait-at-start.ts';

/** A clock that only a pause moves, and what was logged. */
function watch({ onPause = async () => undefined }: { onPause?: (pauses: number) => Promise<unknown> } = {}) {
  const lines: string[] = [];
  let at = 0;
  let pauses = 0;
  return {
    lines,
    getPauses: () => pauses,
    deps: {
      log: { warn: (text: string) => void lines.push(text), info: (text: string) => void lines.push(text) } as never,
      now: () => at,
      sleep: async (ms: number) => {
        at += ms;
        pauses += 1;
        await onPause(pauses);
      },
    },
  };
}

const fail = (code: string) => () =>
  Promise.reject(new DatabaseUnavailableError(code, { cause: Object.assign(new Error(code), { code }) }));

describe('a worker that starts while Postgres', () => {
  for (const [what, code] of [
    ['starts', '57P03'],
    ['only reads, because its standby is not promoted yet', '25006'],
    ['does not listen', 'ECONNREFUSED'],
    ['has no free connection', '53300'],
  ] as const) {
    test(`${what}: waits for five minutes, says so every 30 seconds, and fails with the cause`, async () => {
      const { deps, lines, getPauses } = watch();
      await assert.rejects(waitForDatabase(fail(code), deps), { message: code });
      assert.equal(getPauses(), 150);
      assert.equal(lines.length, 10);
      assert.match(lines[0]!, /Nothing was sent or charged.* every 2 s; after 300 s more it ends with exit code 5/);
      assert.match(lines[9]!, /after 30 s more/);
    });
  }

  for (const [what, code] of [
    ['refuses the password', '28P01'],
    ['has no such database', '3D000'],
    ['holds a table for another program, for longer than a migration waits', '55P03'],
  ] as const) {
    test(`${what}: fails at once`, async () => {
      const { deps, lines, getPauses } = watch();
      await assert.rejects(waitForDatabase(fail(code), deps), { message: code });
      assert.deepEqual([getPauses(), lines], [0, []]);
    });
  }

  test('is away for two pauses: opens the ledger then', {
    skip: !TEST_DIALECTS.includes('postgres') && 'COURIER_TEST_POSTGRES names no Postgres',
  }, async (t) => {
    const url = new URL(emptyDatabaseUrl(t, 'postgres'));
    const proxy = await openProxy(new URL(url));
    t.after(() => proxy.cut());
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    await proxy.cut();
    const { deps, lines } = watch({ onPause: async (pauses) => pauses === 2 && proxy.restore() });
    const ledger = await waitForDatabase(() => openLedger(url.href), deps);
    t.after(() => ledger.close());
    assert.match(ledger.id, /^[0-9a-z]{8}$/);
    assert.equal(lines.at(-1), 'The ledger can be used, after 4 s.');
  });
});
