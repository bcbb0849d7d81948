import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { DatabaseUnavailableError, DatabaseUrlError } from '../../src/database/database.ts';
import { AccountError } from '../accounts/account.ts';
import { SettingsError } from '../settings-error.ts';
import { EXIT, run, UsageError } from './command.ts';

/** Runs a command whose work throws `error`, and returns its exit code and the last record on stdout. */
async function runFailing(t: TestContext, error: unknown) {
  let written = '';
  t.mock.method(process.stdout, 'write', (text: string) => {
    written += text;
    return true;
  });
  t.mock.method(process.stderr, 'write', () => true);
  await run({ json: true }, async () => {
    throw error;
  });
  const exitCode = process.exitCode;
  process.exitCode = 0;
  t.mock.restoreAll();
  return { exitCode, summary: JSON.parse(written.trim().split('\n').at(-1)!) as Record<string, unknown> };
}

const EXPECTED: readonly (readonly [Error, number])[] = [
  [new UsageError('flag'), EXIT.usage],
  [new AccountError('account'), EXIT.usage],
  [new SettingsError('setting'), EXIT.usage],
  [new DatabaseUrlError('url'), EXIT.usage],
  [Object.assign(new Error('listen'), { code: 'EADDRINUSE', syscall: 'listen' }), EXIT.usage],
  [new DatabaseUnavailableError('away'), EXIT.transient],
  [new TypeError('undefined is not a function'), EXIT.unexpected],
  [new Error('anything else'), EXIT.unexpected],
];

describe('exit codes of courier-service', () => {
  for (const [error, expected] of EXPECTED) {
    test(`${error.name}("${error.message}") exits with ${expected} and stands in the summary`, async (t) => {
      const { exitCode, summary } = await runFailing(t, error);
      assert.equal(exitCode, expected);
      assert.deepEqual(summary, { type: 'summary', ok: false, exit_code: expected, error: error.message });
    });
  }
});
