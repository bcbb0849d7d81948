import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { AcceptedData, ApiAnswer } from './answer.ts';
import type { Reference } from './ids.ts';
import { decideOutcome } from './outcome.ts';
import { splitBatch, worthBisecting } from './split.ts';

const base = { endpoint: 'submit', requestId: null, retryAfterMs: null, budgets: [], tookMs: 1 } as const;

/** A service that rejects batches with bad URLs; with `names` it names them. */
function service(bad: ReadonlySet<string>, names: boolean) {
  let requests = 0;
  return {
    requests: () => requests,
    answer(urls: readonly string[]): ApiAnswer<AcceptedData> {
      requests += 1;
      const rejected = urls.filter((url) => bad.has(url));
      if (rejected.length > 0) {
        const named = names ? rejected.map((url) => ({ url, index: null, reason: 'not reachable' })) : [];
        const error = { code: 'validation_error', message: 'invalid', named, fields: [] };
        return { ...base, status: 422, body: { kind: 'error', error } };
      }
      const data = { reference: `R-${requests}` as Reference, state: 'queued', urls: urls.length };
      return {
        ...base,
        status: 202,
        body: { kind: 'success', data: { ...data, charged: null, pricePerUrl: null, balance: null } },
      };
    },
  };
}

/** Handles refused batches as the dispatcher does, without a ledger. */
function submitAll(urls: readonly string[], answer: (urls: readonly string[]) => ApiAnswer<AcceptedData>) {
  const accepted: string[] = [];
  const quarantined: string[] = [];
  const waiting: (readonly string[])[] = [urls];
  for (let batch = waiting.pop(); batch !== undefined; batch = waiting.pop()) {
    const outcome = decideOutcome(answer(batch), { urls: batch, inDoubt: false, reference: null });
    if (outcome.kind === 'accepted') accepted.push(...batch);
    else if (outcome.kind === 'split') {
      if (
        !worthBisecting({ urls: urls.length, accepted: accepted.length, quarantined: quarantined.length, inReview: 0 })
      )
        break;
      waiting.push(...[...splitBatch(batch)].reverse());
    } else if (outcome.kind === 'quarantine') {
      const names = new Set(outcome.rejected.map(({ url }) => url));
      quarantined.push(...names);
      const rest = batch.filter((url) => !names.has(url));
      if (rest.length > 0) waiting.push(rest);
    } else assert.fail(outcome.kind);
  }
  return { accepted, quarantined };
}

const poisoned = fc
  .integer({ min: 1, max: 5000 })
  .chain((size) =>
    fc.record({ size: fc.constant(size), bad: fc.uniqueArray(fc.nat(size - 1), { minLength: 1, maxLength: 7 }) }),
  );

describe('splitting refused batches', () => {
  test('each bad URL is found in at most 3·log2 n extra requests, and every other URL is accepted once', () => {
    fc.assert(
      fc.property(poisoned, ({ size, bad }) => {
        const urls = Array.from({ length: size }, (_, n) => `https://shop.example/${n}`);
        const badUrls = new Set(bad.map((n) => urls[n]!));
        const { answer, requests } = service(badUrls, false);
        const { accepted, quarantined } = submitAll(urls, answer);
        assert.deepEqual(new Set(quarantined), badUrls);
        assert.deepEqual(accepted.toSorted(), urls.filter((url) => !badUrls.has(url)).toSorted());
        assert.ok(requests() - 1 <= Math.ceil(3 * Math.log2(size) * badUrls.size), `${requests()} for ${badUrls.size}`);
      }),
      { numRuns: 60 },
    );
  });

  test('a service that names the bad URLs costs one extra request, however many are bad', () => {
    const urls = Array.from({ length: 5000 }, (_, n) => `https://shop.example/${n}`);
    const { answer, requests } = service(new Set(urls.filter((_, n) => n % 10 === 0)), true);
    const { accepted, quarantined } = submitAll(urls, answer);
    assert.deepEqual([accepted.length, quarantined.length, requests()], [4500, 500, 2]);
  });

  test('bisection stops for a service that refuses everything, before every URL is quarantined', () => {
    const urls = Array.from({ length: 5000 }, (_, n) => `https://shop.example/${n}`);
    const { answer, requests } = service(new Set(urls), false);
    const { accepted, quarantined } = submitAll(urls, answer);
    assert.equal(accepted.length, 0);
    assert.ok(quarantined.length <= 9 && requests() < 40, `${quarantined.length} in ${requests()} requests`);
  });

  test('halves contain every URL once, in order, and differ in size by at most one', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 2 }), (items) => {
        const [first, second] = splitBatch(items);
        assert.deepEqual([...first, ...second], items);
        assert.ok(first.length - second.length === items.length % 2);
      }),
    );
    assert.throws(() => splitBatch([1]), RangeError);
  });
});
