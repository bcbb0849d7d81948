import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NamespaceNotFoundError } from '@temporalio/common';
import { toServerFailure } from './temporal-failure.ts';

/** An error of the Temporal client: the cause of its message is what the connection said. */
const toClientError = (code: number, details: string) =>
  new Error('Failed to get Workflow execution history', {
    cause: Object.assign(new Error(`${code}: ${details}`), { code, details }),
  });

describe('a request to the Temporal server that fails', () => {
  const expected: readonly (readonly [label: string, code: number, details: string, exitCode: number, says: RegExp])[] =
    [
      ['a server that goes away', 14, 'No connection established', 5, /Lost the connection.*try again then/],
      ['a deadline', 4, 'Deadline exceeded', 5, /Planned batches stay planned/],
      [
        'credentials that are refused',
        16,
        'invalid token',
        2,
        /\(invalid token\)\. Nothing was submitted.*temporal\.api_key/,
      ],
    ];
  for (const [label, code, details, exitCode, says] of expected) {
    test(`${label} exits with ${exitCode} and says what to do`, () => {
      const error = toServerFailure(toClientError(code, details));
      assert.equal(error?.exitCode, exitCode);
      assert.match(error?.message ?? '', says);
    });
  }

  test("a namespace that does not exist exits with 2, by the SDK's error and by the server's answer", () => {
    const known = new NamespaceNotFoundError('shop');
    const detail = Buffer.concat([
      Buffer.from([8, 5, 26, 89, 10]),
      Buffer.from('type.googleapis.com/temporal.api.errordetails.v1.NamespaceNotFoundFailure\x12\x04shop'),
    ]);
    const raw = Object.assign(toClientError(5, 'Namespace shop is not found.').cause as Error, {
      metadata: { get: (key: string) => (key === 'grpc-status-details-bin' ? [detail] : []) },
    });
    for (const error of [known, new Error('Failed to start Workflow', { cause: raw })]) {
      const failure = toServerFailure(error);
      assert.equal(failure?.exitCode, 2);
      assert.match(failure?.message ?? '', /temporal\.namespace/);
      if (error !== known)
        assert.match(failure?.message ?? '', /\(Namespace shop is not found\)\. Nothing was submitted/);
    }
  });

  test('any other error is passed on', () => {
    assert.equal(toServerFailure(toClientError(5, 'workflow not found')), null);
    assert.equal(toServerFailure(new TypeError('undefined is not a function')), null);
  });
});
