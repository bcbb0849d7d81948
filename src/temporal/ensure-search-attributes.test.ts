import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Connection } from '@temporalio/client';
import { ensureSearchAttributes } from './ensure-search-attributes.ts';

const refuse = (code: number) => async () => {
  throw Object.assign(new Error(`${code}`), { code, details: 'not allowed' });
};

const connectionWith = (operatorService: Record<string, unknown>) => ({ operatorService }) as unknown as Connection;

describe('ensureSearchAttributes', () => {
  for (const code of [7, 12]) {
    test(`a server whose operator service answers ${code} is a notice, not a failure`, async () => {
      const notice = await ensureSearchAttributes(connectionWith({ listSearchAttributes: refuse(code) }), 'shop');
      assert.match(
        notice ?? '',
        /namespace shop \(not allowed\)\. Nothing else depends on them.*CourierLedger \(keyword\)/,
      );
    });
  }

  test('attributes that are missing and cannot be added are a notice, too', async () => {
    const listSearchAttributes = async () => ({ customAttributes: {} });
    const connection = connectionWith({ listSearchAttributes, addSearchAttributes: refuse(7) });
    assert.match((await ensureSearchAttributes(connection, 'shop')) ?? '', /could not be checked or registered/);
  });

  test('a namespace that does not exist, a wrong key and a server that is away are failures', async () => {
    for (const code of [5, 14, 16]) {
      const connection = connectionWith({ listSearchAttributes: refuse(code) });
      await assert.rejects(ensureSearchAttributes(connection, 'shop'), { code });
    }
  });
});
