import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiError } from '../../api-client/errors.ts';
import { EXIT } from '../../cli-kit/exit-codes.ts';
import { SecretMissingError } from '../../config/secrets.ts';
import { toReadFailureCode } from './command.ts';

describe('a command that could not read from the service', () => {
  const cases: readonly (readonly [what: string, status: number | null, code: number])[] = [
    ['a key that is rejected', 401, EXIT.keyRefused],
    ['an address that the service does not have', 404, EXIT.usage],
    ['a service that fails', 503, EXIT.transient],
    ['no response', null, EXIT.transient],
  ];
  for (const [what, status, code] of cases)
    test(`${what}: plan, audit and recover end with ${code}`, () => {
      assert.equal(toReadFailureCode({ status } as ApiError), code);
    });

  test('a key that is not there: they end with 2', () => {
    assert.equal(toReadFailureCode(new SecretMissingError('no key')), EXIT.usage);
  });
});
