/**
 * Whatever a service answers to POST /submissions, the connector does not spend: a batch keeps its one key and its bytes,
 * its URLs are in no other batch, and its reason says what was received.
 */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { BatchState } from '../../src/ledger/purchases/states.ts';
import type { BatchLine } from '../../src/ledger/reports/lists.ts';
import { always, failure, html, json, type Reply, success } from '../fakes/service/replies.ts';
import { testOnEachDialect } from '../support/database.ts';
import { play } from './play.ts';

const PRICE = 250_000;

describe('POST /submissions with an invalid response every time', () => {
  interface Row {
    readonly what: string;
    readonly post: Reply;
    readonly state: BatchState;
    /** The reason of the batch. */
    readonly says: RegExp;
  }

  const rows: readonly Row[] = [
    ...(
      [
        [
          'no data',
          success(null, 202),
          /an unusable success again \(status 202 with a success without data\)|without a reference/,
        ],
        ['data that is a list', success([1, 2], 202), /without a reference/],
        ['data that is a text', success('queued', 202), /without a reference/],
        ['a reference that is an object', success({ reference: { id: 1 } }, 202), /without a reference/],
        ['a reference that is true', success({ reference: true }, 202), /without a reference/],
        ['an empty reference', success({ reference: ' ' }, 202), /without a reference/],
        ['a reference that is a path upwards', success({ reference: '..' }, 202), /without a reference/],
        ['a reference with a line break', success({ reference: 'R\n1' }, 202), /without a reference/],
        [
          'success and an error in one',
          success({ reference: 'R-1' }, 202, { error: { code: 'X' } }),
          /contradicts itself/,
        ],
        ['success: true, status: error', success({ reference: 'R-1' }, 202, { status: 'error' }), /contradicts itself/],
        [
          'success as a text',
          json('{"success":"yes","data":{"reference":"R-1"}}', 202),
          /JSON that is not an envelope/,
        ],
        ['409 and nothing else', failure(409, 'CONFLICT'), /the service reports a conflict, "CONFLICT: CONFLICT"/],
      ] as const
    ).map(([what, post, says]): Row => ({ what, post, says, state: 'needs_review' })),
    ...(
      [
        ['a page', html(200), /status 200 with a page instead of JSON: it may have been charged/],
        ['nothing', json('', 202), /status 202 with an empty body/],
        ['204', (response) => void response.writeHead(204).end(), /status 204/],
        ['a number', json('7', 202), /JSON that is not an envelope/],
        ['NaN', json('{"success":true,"data":{"reference":"R-1","charged":NaN}}', 202), /malformed/],
        ['half an envelope', json('{"success":true,"data":{"refer', 202), /cut off or malformed/],
        [
          'an error with 202',
          failure(202, 'FAILED'),
          /status 202, "FAILED: FAILED", request q-2: it may have been charged/,
        ],
        ['a success with 500', success({ reference: 'R-1' }, 500), /status 500 with an unusable success/],
        ['a success with 402', success({ reference: 'R-1' }, 402), /status 402 with an unusable success/],
        [
          'a redirect',
          { status: 302, text: '', headers: { location: 'http://127.0.0.1:9/' } },
          /a redirect to http:\/\/127.0.0.1:9\/, which is not followed/,
        ],
        ['418', failure(418, 'TEAPOT'), /status 418, "TEAPOT: TEAPOT"/],
        ['deep JSON', json(`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 202), /JSON that is not an envelope/],
      ] as [string, Reply, RegExp][]
    ).map(([what, post, says]): Row => ({ what, post, says, state: 'sending' })),
  ];

  for (const { what, post, state, says } of rows) {
    testOnEachDialect(`${what}: one key is used, and the batch is ${state} with the reason`, async (t, dialect) => {
      const { batches, text, service, totals } = await play(t, dialect, { post: always(post) });
      assert.equal(service.bodies.size, 1);
      assert.deepEqual([batches.length, batches[0]!.state], [1, state], text);
      assert.match(batches[0]!.reason ?? '', says);
      assert.equal(totals.chargedEver, 0);
    });
  }
});

describe('acceptances with invalid fields', () => {
  for (const [what, data, says] of [
    ['a charge below zero', { charged: -5 }, /the charge is below zero \(-5.00 TRY\)/],
    ['a charge that is not a number', { charged: 'NaN' }, null],
    ['a charge that is a list', { charged: [5] }, null],
    ['a charge beyond belief', { charged: 9e9 }, /9000000000.00 TRY, which is implausible and ignored/],
    ['a charge beyond numbers', { charged: 1e300, price_per_url: 1e300 }, null],
    ['a price that cannot be multiplied', { price_per_url: 9e9 }, /which is implausible and ignored/],
    ['a charge in dollars', { charged: { amount: 5, currency: 'USD' } }, null],
    [
      'a charge that is read in two ways',
      { charged: '1.500 TL' },
      /the charge is not known: "1\.500 TL" can be read as 1\.50 TRY .*set amounts of the account/,
    ],
    ['more URLs than were sent', { url_count: 999_999 }, /2 URLs were sent, but the service reports 999999/],
    ['fewer URLs than were sent', { url_count: 0 }, /2 URLs were sent, but the service reports 0/],
    ['an end at once', { status: 'failed' }, /accepts the batch and reports it as failed at once/],
    ['a state that is a list', { status: ['done'] }, null],
    ['a balance below zero', { balance: -3 }, null],
  ] as const) {
    testOnEachDialect(`${what}: charged once, as expected`, async (t, dialect) => {
      const post = always(success({ reference: 'R-1', ...data }, 202));
      const { batches, totals, service } = await play(t, dialect, { post });
      const [batch] = batches as [BatchLine];
      assert.deepEqual([batches.length, batch.state, batch.jobState], [1, 'accepted', 'completed']);
      assert.equal(service.counts.post, 1);
      assert.equal(totals.chargedEver, 2 * PRICE);
      if (says !== null) assert.match(batch.reason ?? '', says);
    });
  }

  testOnEachDialect('a charge of ten times the expected one is recorded and reported', async (t, dialect) => {
    const { batches, totals } = await play(t, dialect, {
      post: always(success({ reference: 'R-1', charged: 5 }, 202)),
    });
    assert.match(batches[0]!.reason!, /5.00 TRY was charged where 0.50 TRY was expected/);
    assert.equal(totals.chargedEver, 5_000_000);
  });

  testOnEachDialect(
    'a reference given for two keys stops the second batch, which names the first',
    async (t, dialect) => {
      const { batches, service } = await play(
        t,
        dialect,
        { post: always(success({ reference: 'R-1' }, 202)) },
        { runs: 2 },
      );
      assert.deepEqual(
        batches.map(({ state }) => state),
        ['accepted', 'needs_review'],
      );
      assert.match(batches[1]!.reason!, /calls this batch R-1, as it called batch 1/);
      assert.equal(service.counts.post, 2);
    },
  );
});
