import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Micros } from '../../contract/money.ts';
import type { AcceptedData, ApiAnswer, Body, CheckData, CheckResult, EnvelopeError } from './answer.ts';
import type { Reference } from './ids.ts';
import { type BatchContext, decideCheckOutcome, decideOutcome, type Outcome } from './outcome.ts';

const urls = ['https://shop.example/a', 'https://shop.example/b', 'https://shop.example/c'];
const batch: BatchContext = { urls, inDoubt: false, reference: null };
const accepted: AcceptedData = {
  reference: 'SUB-1' as Reference,
  state: 'queued',
  charged: 750_000 as Micros,
  pricePerUrl: 250_000 as Micros,
  balance: null,
  urls: 3,
};
type SubmitAnswer = ApiAnswer<AcceptedData>;

const answer = (status: number | null, body: Body<AcceptedData>, more: Partial<SubmitAnswer> = {}): SubmitAnswer => ({
  endpoint: 'submit',
  requestId: null,
  retryAfterMs: null,
  budgets: [],
  tookMs: 1,
  status,
  body,
  ...more,
});
const success = (data: Partial<AcceptedData> = {}): Body<AcceptedData> => ({
  kind: 'success',
  data: { ...accepted, ...data },
});
const error = (more: Partial<EnvelopeError> = {}): Body<never> => ({
  kind: 'error',
  error: { code: null, message: 'no', named: [], fields: [], ...more },
});
const unusable = { kind: 'unreadable', what: 'a contradictory envelope', claimsSuccess: true } as const;
const page = { kind: 'unreadable', what: 'an HTML page', claimsSuccess: false } as const;

/** The answer table, row by row: a response, and what it means. */
const table: { label: string; answer: SubmitAnswer; batch?: Partial<BatchContext>; means: string; charge: string }[] = [
  { label: '202', answer: answer(202, success()), means: 'accepted', charge: 'charged' },
  { label: '200', answer: answer(200, success()), means: 'accepted', charge: 'charged' },
  {
    label: '202 without a reference',
    answer: answer(202, success({ reference: null })),
    means: 'retry unknown',
    charge: 'unknown',
  },
  {
    label: '202 without a reference, again',
    answer: answer(202, success({ reference: null })),
    batch: { inDoubt: true },
    means: 'conflict review',
    charge: 'unknown',
  },
  {
    label: '200 with a contradictory success, again',
    answer: answer(200, unusable),
    batch: { inDoubt: true },
    means: 'conflict review',
    charge: 'unknown',
  },
  {
    label: '429 with Retry-After: 0',
    answer: answer(429, error(), { retryAfterMs: 0 }),
    means: 'retry rate-limited 1000',
    charge: 'none',
  },
  { label: '413 that claims success', answer: answer(413, unusable), means: 'retry unknown', charge: 'unknown' },
  { label: '202 with an HTML page', answer: answer(202, page), means: 'retry unknown', charge: 'unknown' },
  { label: '202 with the error envelope', answer: answer(202, error()), means: 'retry unknown', charge: 'unknown' },
  { label: '204 with a success', answer: answer(204, success()), means: 'retry unknown', charge: 'unknown' },
  { label: '302', answer: answer(302, page), means: 'retry unknown', charge: 'unknown' },
  {
    label: '200 with a reference that differs from the recorded one',
    answer: answer(200, success()),
    batch: { reference: 'SUB-0' as Reference },
    means: 'conflict review',
    charge: 'unknown',
  },
  {
    label: '200 with the recorded reference',
    answer: answer(200, success()),
    batch: { reference: 'SUB-1' as Reference },
    means: 'accepted',
    charge: 'charged',
  },
  { label: '400', answer: answer(400, error()), means: 'defect', charge: 'none' },
  { label: '400 with a success', answer: answer(400, success()), means: 'retry unknown', charge: 'unknown' },
  { label: '400 with an HTML page', answer: answer(400, page), means: 'retry unknown', charge: 'unknown' },
  { label: '401', answer: answer(401, error()), means: 'reject_key', charge: 'none' },
  { label: '402', answer: answer(402, error()), means: 'suspend', charge: 'none' },
  { label: '402 with a success', answer: answer(402, success()), means: 'retry unknown', charge: 'unknown' },
  { label: '402 with an HTML page', answer: answer(402, page), means: 'retry unknown', charge: 'unknown' },
  { label: '403', answer: answer(403, error()), means: 'reject_key', charge: 'none' },
  { label: '403 with an HTML page', answer: answer(403, page), means: 'retry unknown', charge: 'unknown' },
  { label: '404', answer: answer(404, error()), means: 'defect', charge: 'none' },
  { label: '404 with an HTML page', answer: answer(404, page), means: 'retry unknown', charge: 'unknown' },
  {
    label: '409',
    answer: answer(409, error({ code: 'idempotency_conflict' })),
    means: 'conflict review',
    charge: 'unknown',
  },
  {
    label: '409 with Retry-After',
    answer: answer(409, error(), { retryAfterMs: 2000 }),
    means: 'retry in-progress 2000',
    charge: 'unknown',
  },
  {
    label: '409 still in progress',
    answer: answer(409, error({ code: 'idempotency_in_progress' })),
    means: 'retry in-progress',
    charge: 'unknown',
  },
  { label: '413', answer: answer(413, error()), means: 'split too-large', charge: 'none' },
  { label: '413 from a gateway', answer: answer(413, page), means: 'split too-large', charge: 'none' },
  { label: '413 with a success', answer: answer(413, success()), means: 'retry unknown', charge: 'unknown' },
  {
    label: '413 for one URL',
    answer: answer(413, error()),
    batch: { urls: urls.slice(0, 1) },
    means: 'defect',
    charge: 'none',
  },
  {
    label: '413 while in doubt',
    answer: answer(413, error()),
    batch: { inDoubt: true },
    means: 'conflict split',
    charge: 'unknown',
  },
  { label: '415', answer: answer(415, error()), means: 'defect', charge: 'none' },
  { label: '422', answer: answer(422, error()), means: 'split invalid', charge: 'none' },
  {
    label: '422 for one URL',
    answer: answer(422, error()),
    batch: { urls: urls.slice(0, 1) },
    means: 'quarantine 1',
    charge: 'none',
  },
  {
    label: '422 that names a URL',
    answer: answer(422, error({ named: [{ url: urls[1]!, index: null, reason: 'x' }] })),
    means: 'quarantine 1',
    charge: 'none',
  },
  {
    label: '422 that names a URL that was not sent',
    answer: answer(422, error({ named: [{ url: 'https://x.example/', index: null, reason: 'x' }] })),
    means: 'split invalid',
    charge: 'none',
  },
  {
    label: '422 that names all URLs',
    answer: answer(422, error({ named: urls.map((url) => ({ url, index: null, reason: 'x' })) })),
    means: 'split invalid',
    charge: 'none',
  },
  {
    label: '422 about the project',
    answer: answer(422, error({ fields: ['project'] })),
    means: 'defect',
    charge: 'none',
  },
  {
    label: '422 while in doubt',
    answer: answer(422, error()),
    batch: { inDoubt: true },
    means: 'conflict split',
    charge: 'unknown',
  },
  { label: '422 with an HTML page', answer: answer(422, page), means: 'retry unknown', charge: 'unknown' },
  {
    label: '429 with Retry-After',
    answer: answer(429, error(), { retryAfterMs: 3_600_000 }),
    means: 'retry rate-limited 3600000',
    charge: 'none',
  },
  { label: '429 from a gateway', answer: answer(429, page), means: 'retry rate-limited 60000', charge: 'none' },
  {
    label: '429 with an exhausted hour',
    answer: answer(429, error(), {
      budgets: [{ scope: '', windowSeconds: 3600, limit: 3000, remaining: 0, resetMs: 120_000 }],
    }),
    means: 'retry rate-limited 120000',
    charge: 'none',
  },
  { label: '500', answer: answer(500, error()), means: 'retry unknown', charge: 'unknown' },
  {
    label: '503',
    answer: answer(503, error(), { retryAfterMs: 5000 }),
    means: 'retry unknown 5000',
    charge: 'unknown',
  },
  { label: '503 with a success', answer: answer(503, success()), means: 'retry unknown', charge: 'unknown' },
  {
    label: 'a timeout',
    answer: answer(null, { kind: 'none', reached: true, timedOut: true, what: 'timeout' }),
    means: 'retry unknown',
    charge: 'unknown',
  },
  {
    label: 'no connection',
    answer: answer(null, { kind: 'none', reached: false, timedOut: false, what: 'refused' }),
    means: 'retry unavailable',
    charge: 'none',
  },
];

function summarize(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'retry':
      return ['retry', outcome.why, outcome.retryAfterMs].filter((part) => part !== null).join(' ');
    case 'split':
      return `split ${outcome.why}`;
    case 'quarantine':
      return `quarantine ${outcome.rejected.length}`;
    case 'conflict':
      return `conflict ${outcome.ifAbsent?.kind ?? 'review'}`;
    default:
      return outcome.kind;
  }
}

describe('decideOutcome and decideCheckOutcome', () => {
  for (const row of table) {
    test(`${row.label}: ${row.means}, charge ${row.charge}`, () => {
      const outcome = decideOutcome(row.answer, { ...batch, ...row.batch });
      assert.equal(summarize(outcome), row.means);
      assert.equal(outcome.chargeState, row.charge);
    });
  }

  test('a refused idempotency key sends nobody to the settings', () => {
    const say = (body: Body<never>) => {
      const outcome = decideOutcome(answer(400, body), batch);
      return 'message' in outcome ? outcome.message : '';
    };
    for (const body of [
      error({ code: 'INVALID_IDEMPOTENCY_KEY' }),
      error({ message: 'Idempotency-Key must be alphanumeric' }),
    ]) {
      assert.match(say(body), /nothing was charged\. The key is one that the specification allows.*ask the service/);
      assert.doesNotMatch(say(body), /check the settings/);
    }
    assert.match(say(error()), /check the settings of its account and watch/);
  });

  test('a 200 is a replay, a 202 is not', () => {
    const replayed = (status: number) => {
      const outcome = decideOutcome(answer(status, success()), batch);
      return outcome.kind === 'accepted' && outcome.replay;
    };
    assert.deepEqual([replayed(200), replayed(202)], [true, false]);
  });

  test('an acceptance that contradicts the batch stays accepted, with warnings', () => {
    const outcome = decideOutcome(answer(202, success({ urls: 2, charged: -1 as Micros })), batch);
    assert.equal(outcome.kind, 'accepted');
    assert.equal(outcome.kind === 'accepted' && outcome.warnings.length, 3);
  });

  const anyBody: fc.Arbitrary<Body<AcceptedData>> = fc.oneof(
    fc.record({ reference: fc.constantFrom(null, 'SUB-1' as Reference, 'SUB-2' as Reference) }).map(success),
    fc
      .record({ code: fc.constantFrom(null, 'idempotency_in_progress', 'validation_error') })
      .map((more) => error(more)),
    fc.constant(page),
    fc
      .record({ reached: fc.boolean(), timedOut: fc.boolean() })
      .map((none) => ({ kind: 'none', what: 'reset', ...none }) as const),
  );

  test('any response: only a success with a reference is accepted, and only a certain refusal leads to new keys', () => {
    const statuses = fc.option(fc.constantFrom(...Array.from({ length: 500 }, (_, n) => n + 100)));
    fc.assert(
      fc.property(statuses, anyBody, fc.boolean(), fc.option(fc.nat(1e7)), (status, body, inDoubt, retryAfterMs) => {
        const outcome = decideOutcome(answer(status, body, { retryAfterMs }), { ...batch, inDoubt: inDoubt });
        const isSuccess = body.kind === 'success';
        if (outcome.kind === 'accepted') {
          assert.ok(isSuccess && body.data.reference === outcome.reference && [200, 201, 202].includes(status!));
        }
        if (outcome.kind === 'split' || outcome.kind === 'quarantine') {
          assert.ok(!isSuccess && !inDoubt && (status === 413 || status === 422));
        }
        if (isSuccess && outcome.kind !== 'accepted') assert.equal(outcome.chargeState, 'unknown');
        if (outcome.kind !== 'accepted') assert.ok(outcome.message.length > 10);
      }),
      { numRuns: 2_000 },
    );
  });

  const checkAnswer = (status: number, body: Body<CheckData>): ApiAnswer<CheckData> => ({
    ...answer(status, page),
    endpoint: 'index-check',
    body,
  });
  const found = { verdict: 'found', statusName: 'indexed', readable: true } as const;

  test('an index-check has a result for each URL sent, matched by URL in any form that the service echoes', () => {
    const results = [
      { url: 'https://SHOP.example/c', ...found },
      { url: urls[0]!, verdict: 'not-found', statusName: 'absent', readable: true } as const,
    ];
    const outcome = decideCheckOutcome(
      checkAnswer(200, { kind: 'success', data: { results, charged: null, balance: null } }),
      batch,
    );
    assert.equal(outcome.kind, 'checked');
    assert.deepEqual(outcome.kind === 'checked' && outcome.results.map(({ url, verdict }) => [url, verdict]), [
      [urls[0], 'not-found'],
      [urls[1], 'unknown'],
      [urls[2], 'found'],
    ]);
  });

  test('results without URLs are matched by index, if there is one for each URL', () => {
    const nameless = { url: null, ...found };
    const verdicts = (count: number) => {
      const data = { results: Array<typeof nameless>(count).fill(nameless), charged: null, balance: null };
      const outcome = decideCheckOutcome(checkAnswer(200, { kind: 'success', data }), batch);
      return outcome.kind === 'checked' ? outcome.results.map(({ verdict }) => verdict) : [];
    };
    assert.deepEqual(verdicts(3), ['found', 'found', 'found']);
    assert.deepEqual(verdicts(2), ['unknown', 'unknown', 'unknown']);
  });

  test('an index-check without a readable verdict is not usable; one with the verdict unknown is', () => {
    const usable = (result: CheckResult) => {
      const data = { results: urls.map((url) => ({ ...result, url })), charged: null, balance: null };
      const outcome = decideCheckOutcome(checkAnswer(200, { kind: 'success', data }), batch);
      return outcome.kind === 'checked' && outcome.usable;
    };
    const unknown = { url: null, verdict: 'unknown', statusName: null } as const;
    assert.equal(usable({ ...unknown, readable: true }), true);
    assert.equal(usable({ ...unknown, statusName: 'completed', readable: false }), false);
  });

  test('a 503 of an index-check charges nothing (spec 4.8 rule 4); a 500 may have', () => {
    const charge = (status: number) => decideCheckOutcome(checkAnswer(status, error()), batch).chargeState;
    assert.deepEqual([charge(503), charge(500), charge(402)], ['none', 'unknown', 'none']);
  });
});
