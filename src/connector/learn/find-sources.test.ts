import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../api-client/read/fields.ts';
import { createAnswerFormat } from '../../api-client/read/format.ts';
import { findSources } from './find-sources.ts';
import { formatPath } from './leaves.ts';
import { REQUESTS, readValues } from './read-values.ts';

const format = createAnswerFormat();
const sourcesOf = (request: (typeof REQUESTS)[number], answer: Json) =>
  Object.fromEntries(
    [
      ...findSources(answer, (changed) => readValues({ request, answer: changed, reference: 'R' as never }, format)),
    ].map(([value, leaves]) => [value, leaves.map(({ path }) => formatPath(path))]),
  );

describe('findSources', () => {
  test('names the field that is read, not another one with the same value', () => {
    assert.deepEqual(sourcesOf('GET /balance', { data: { available: 5, balance: 5 } }), { balance: ['data.balance'] });
    assert.deepEqual(sourcesOf('GET /balance', { data: { wallet: { amount: '5.00', currency: 'TRY' } } }), {
      balance: ['data.wallet.amount', 'data.wallet.currency'],
    });
    const job = { jobReference: 'R-1', attributes: { status: 'queued' }, created: '2026-01-15', extra: 'x' };
    assert.partialDeepStrictEqual(sourcesOf('GET /submissions', { data: { _embedded: { orders: [job] } }, total: 3 }), {
      reference: ['data._embedded.orders[0].jobReference'],
      state: ['data._embedded.orders[0].attributes.status'],
      created: ['data._embedded.orders[0].created'],
      total: ['total'],
    });
  });

  test('names for no value a field that is not there, whatever an answer is', () => {
    fc.assert(
      fc.property(fc.constantFrom(...REQUESTS), fc.jsonValue({ maxDepth: 4 }), (request, data) => {
        for (const paths of Object.values(sourcesOf(request, { success: true, data: data as Json })))
          for (const path of paths) assert.match(path, /^data/);
      }),
      { numRuns: 200 },
    );
  });
});
