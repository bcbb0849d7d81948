import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CopyError } from '../../src/database/copy-sqlite.ts';
import { DatabaseUnavailableError, DatabaseUrlError } from '../../src/database/database.ts';
import { AccountError } from '../accounts/account.ts';
import { SettingsError } from '../settings-error.ts';
import { toCommandError } from './command.ts';

const EXPECTED: readonly (readonly [Error, number | null])[] = [
  [new AccountError('account'), 2],
  [new SettingsError('setting'), 2],
  [new DatabaseUrlError('url'), 2],
  [new CopyError('file'), 2],
  [Object.assign(new Error('listen'), { code: 'EADDRINUSE', syscall: 'listen' }), 2],
  [new DatabaseUnavailableError('away'), 5],
  [new TypeError('undefined is not a function'), null],
  [new Error('anything else'), null],
];

describe('courier-service errors', () => {
  for (const [error, exitCode] of EXPECTED) {
    const how = exitCode === null ? 'a bug' : `exit code ${exitCode} with its own message`;
    test(`${error.name}("${error.message}") is ${how}`, () => {
      const expected = toCommandError(error);
      assert.equal(expected?.exitCode ?? null, exitCode);
      if (expected !== null) assert.equal(expected.message, error.message);
    });
  }
});
