import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isStillRunning } from './still-running.ts';

const conflict = (code: string | null, message: string, retryAfterMs: number | null = null) =>
  isStillRunning({ retryAfterMs, body: { kind: 'error', error: { code, message, fields: [], named: [] } } });

describe('a 409 says that the same request is still running', () => {
  test('by its Retry-After', () => assert.equal(conflict(null, '', 1_000), true));

  for (const code of [
    'idempotency_in_progress',
    'IDEMPOTENCY_KEY_IN_PROGRESS',
    'still-processing',
    'resource_locked',
  ]) {
    test(`by the code ${code}`, () => assert.equal(conflict(code, ''), true));
  }

  for (const message of [
    'A request with this Idempotency-Key is still being processed',
    'The original request is still running.',
    'This key is already being processed',
    'Another request with the same key is in progress',
  ]) {
    test(`by the message "${message}"`, () => assert.equal(conflict('conflict', message), true));
  }

  for (const message of [
    'The Idempotency-Key was used with a different body',
    'Duplicate: these URLs were processed already',
    'This submission was already accepted',
  ]) {
    test(`not by the message "${message}"`, () => assert.equal(conflict('idempotency_conflict', message), false));
  }

  test('not where no error can be read', () => {
    const body = { kind: 'unreadable', what: 'a page of HTML', claimsSuccess: false } as const;
    assert.equal(isStillRunning({ retryAfterMs: null, body }), false);
  });
});
