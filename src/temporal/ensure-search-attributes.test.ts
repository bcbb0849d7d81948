import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../temporal-api/search-attributes.ts';
import { ensureSearchAttributes } from './ensure-search-attributes.ts';

const refuse = (code: number) => async () => {
  throw Object.assign(new Error(`${code}`), { code, details: 'not allowed' });
};

/** `has`: the attributes of the namespace, which a query may name. */
const connectionWith = (operatorService: Record<string, unknown>, has: readonly string[] = []) =>
  ({
    operatorService,
    workflowService: {
      async countWorkflowExecutions({ query }: { query: string }) {
        if (!has.includes(query.split(' ')[0] ?? '')) return refuse(3)();
        return { count: 0 };
      },
    },
  }) as unknown as Connection;

describe('ensureSearchAttributes', () => {
  for (const code of [7, 12]) {
    test(`a server whose operator service answers ${code} is a notice, not a failure`, async () => {
      const notice = await ensureSearchAttributes(connectionWith({ listSearchAttributes: refuse(code) }), 'shop');
      assert.match(
        notice ?? '',
        /namespace shop lacks .* \(not allowed\)\. Nothing else depends on them.*search-attribute create --namespace shop --name CourierLedger --type Keyword.*--name CourierUrls --type Int.*tcld .*"CourierLedger=Keyword"/,
      );
    });
  }

  test('attributes that are missing and cannot be added are a notice, too', async () => {
    const listSearchAttributes = async () => ({ customAttributes: {} });
    const connection = connectionWith({ listSearchAttributes, addSearchAttributes: refuse(7) });
    assert.match((await ensureSearchAttributes(connection, 'shop')) ?? '', /could not be registered/);
  });

  test('only those that are missing are named, and nothing is said when an administrator has added them', async () => {
    const names = Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name);
    const denied = { listSearchAttributes: refuse(7) };
    assert.equal(await ensureSearchAttributes(connectionWith(denied, names), 'shop'), null);
    const notice = await ensureSearchAttributes(connectionWith(denied, names.slice(1)), 'shop');
    assert.match(notice ?? '', /--name CourierLedger --type Keyword, or/);
  });

  test('a namespace that does not exist, a wrong key and a server that is away are failures', async () => {
    for (const code of [5, 14, 16]) {
      const connection = connectionWith({ listSearchAttributes: refuse(code) });
      await assert.rejects(ensureSearchAttributes(connection, 'shop'), { code });
    }
  });
});
