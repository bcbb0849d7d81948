/** Whatever a service says about a job that it accepted, nothing of it is bought again. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { listBatches } from '../../src/ledger/reports/lists.ts';
import { always, failure, html, json, type Reply, success } from '../fakes/service/replies.ts';
import { testOnEachDialect } from '../support/database.ts';
import { PAGES, play } from './play.ts';

describe('polls of a job', () => {
  const states = (...seen: readonly unknown[]) => ({
    detail: (n: number, reference: string): Reply => success({ reference, status: seen[Math.min(n, seen.length) - 1] }),
  });

  for (const [what, overrides, state, says] of [
    ['a state that is a number', states(7), '7', /calls the job "7", an unknown state/],
    ['a state that is a list', states([]), 'queued', /R-1 is still queued after the tracking timeout/],
    ['no state', states(null), 'queued', /still queued after the tracking timeout/],
    ['an unknown state, then the end', states('baking', 'baking', 'completed'), 'completed', null],
    ['an unknown state, always', states('baking'), 'baking', /still baking after.*calls the job "baking"/s],
    ['processing, then queued again', states('processing', 'queued', 'completed'), 'completed', null],
    [
      'processing and queued alternately',
      states('processing', ...Array.from({ length: 90 }, (_, n) => (n % 2 ? 'processing' : 'queued'))),
      'processing',
      /R-1 is queued, polled once since its last change/,
    ],
    [
      'another job',
      { detail: always(success({ reference: 'R-9', status: 'completed' })) },
      'queued',
      /about R-9 instead of R-1.*still queued after/s,
    ],
    ['a page', { detail: always(html(200)) }, 'queued', /status 200 with a page instead of JSON.*still queued/s],
    ['nothing', { detail: always(json('', 200)) }, 'queued', /an empty body/],
    ['a list', { detail: always(json('[1]', 200)) }, 'queued', /JSON that is not an envelope/],
    ['404', { detail: always(failure(404, 'GONE')) }, 'queued', /status 404, GONE: GONE/],
    [
      '404 for a while, then itself',
      {
        detail: (n: number, reference: string) =>
          n <= 3 ? failure(404, 'GONE') : success({ reference, status: 'completed' }),
      },
      'completed',
      null,
    ],
    [
      '400 for a while, then itself',
      {
        detail: (n: number, reference: string) =>
          n <= 3 ? failure(400, 'BAD') : success({ reference, status: 'completed' }),
      },
      'completed',
      null,
    ],
    ['500', { detail: always(failure(500, 'OOPS')) }, 'queued', /status 500, OOPS: OOPS/],
    [
      '20 MB',
      { detail: always({ status: 200, text: `{"success":true,"data":{"x":"${'x'.repeat(20_000_000)}"}}` }) },
      'queued',
      /more than 16777216 bytes/,
    ],
  ] as const) {
    testOnEachDialect(`${what}: nothing is bought again`, async (t, dialect) => {
      const long = what === '20 MB' ? 5 : 250;
      const { batches, text, service, connector } = await play(t, dialect, overrides, { steps: long });
      assert.deepEqual([batches.length, batches[0]!.state, batches[0]!.jobState], [1, 'accepted', state], text);
      assert.equal(service.bodies.size, 1);
      if (says !== null) assert.match(text, says);
      connector.pass(30 * 86_400_000);
      await connector.plan(
        'later',
        PAGES.map((page) => `1/${page}`),
      );
      assert.equal((await listBatches(connector.ledger)).length, 1, 'nothing of it is due again');
    });
  }

  testOnEachDialect(
    'a job that leaves its terminal state keeps its results, and nothing is bought again',
    async (t, dialect) => {
      const { connector, batches } = await play(t, dialect, states('completed', 'processing', 'failed'));
      assert.deepEqual([batches[0]!.jobState, batches[0]!.completed], ['completed', 2]);
      connector.pass(30 * 86_400_000);
      await connector.plan(
        'later',
        PAGES.map((page) => `1/${page}`),
      );
      assert.equal((await listBatches(connector.ledger)).length, 1);
    },
  );
});

describe('URL results of a partial job', () => {
  for (const [what, urls, failed] of [
    ['of URLs that are not ours', [{ url: 'https://elsewhere.example/', status: 'failed' }], 0],
    [
      'of more URLs than there are',
      Array.from({ length: 400 }, (_, n) => ({ url: `https://x.example/${n}`, status: 'failed' })),
      0,
    ],
    ['in unknown states', PAGES.map((page) => ({ url: `https://shop.example/1/${page}`, status: 'kaputt' })), 0],
    [
      'twice, with different states',
      ['completed', 'failed'].map((status) => ({ url: 'https://shop.example/1/1', status })),
      1,
    ],
    ['as numbers', [1, 2, 3], 0],
    ['as nothing', null, 0],
  ] as const) {
    testOnEachDialect(
      `${what}: only an unambiguous failure of one of our URLs counts as failed`,
      async (t, dialect) => {
        const detail = (_: number, reference: string) => success({ reference, status: 'partial', urls, total: 2 });
        const { batches } = await play(t, dialect, { detail });
        assert.deepEqual([batches[0]!.jobState, batches[0]!.failed], ['partial', failed]);
      },
    );
  }
});
