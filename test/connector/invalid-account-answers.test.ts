/** What the connector does about a balance, a wait, a key, a list or a check result that makes no sense. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { getAccountStatus } from '../../src/ledger/money/account-status.ts';
import { listBatches } from '../../src/ledger/reports/lists.ts';
import { getAccountTotals } from '../../src/ledger/reports/totals.ts';
import { renderReason } from '../../src/submission/reason.ts';
import { always, failure, html, json, type Overrides, type Reply, success } from '../fakes/service/replies.ts';
import { testOnEachDialect } from '../support/database.ts';
import { ACCOUNT, assertSentOnce, openScene, PAGES, play } from './play.ts';

describe('insufficient balance', () => {
  testOnEachDialect('402 despite a sufficient balance: retried with backoff, never in a loop', async (t, dialect) => {
    const { service, connector, batches } = await play(
      t,
      dialect,
      { post: always(failure(402, 'NO_MONEY')) },
      { steps: 200 },
    );
    const hours = (connector.now() - batches[0]!.plannedAt) / 3_600_000;
    assert.ok(service.counts.post <= 4 * hours + 10, `${service.counts.post} requests in ${hours.toFixed(1)} hours`);
    assert.equal(service.bodies.size, 1);
  });

  for (const [what, balance, says] of [
    ['below zero', success({ balance: -5 }), /below zero \(-5.00 TRY\)|balance -5.00 TRY/],
    ['a text', success({ balance: 'plenty' }), /without a balance that can be read/],
    ['NaN', json('{"success":true,"data":{"balance":NaN}}', 200), /malformed/],
    ['infinite', success({ balance: '1e999' }), /without a balance that can be read/],
    ['in euros', success({ balance: 500, currency: 'EUR' }), /whose balance is in EUR, not in TRY/],
    ['a page', html(200), /a page instead of JSON/],
  ] as const) {
    testOnEachDialect(
      `a balance that is ${what}: the batch is rarely or never sent until the funds suffice`,
      async (t, dialect) => {
        let valid = false;
        const overrides: Overrides = {
          post: (_, key) => (valid ? success({ reference: `R-${key.length}` }, 202) : failure(402, 'NO_MONEY')),
          balance: () => (valid ? success({ balance: 50 }) : balance),
        };
        const { service, connector } = await openScene(t, dialect, overrides);
        await connector.plan('run', PAGES);
        const began = connector.now();
        const { messages } = await connector.play({ steps: 40 });
        if (what === 'below zero') assert.equal(service.counts.post, 0, 'the balance says that it does not suffice');
        else assert.ok(service.counts.post > 1 && service.counts.post < 8, `${service.counts.post} tries in 40 steps`);
        assert.ok(connector.now() - began > (service.counts.post - 1) * 60_000, 'each 402 makes the wait longer');
        assert.match(messages.join('\n'), says);
        valid = true;
        await connector.play();
        assert.equal((await listBatches(connector.ledger))[0]!.state, 'accepted');
      },
    );
  }
});

describe('429', () => {
  for (const wait of ['soon', '-5', 'NaN', '99999999999999999999', '1e9', 'Wed, 21 Oct 1015 07:28:00 GMT', '']) {
    testOnEachDialect(`Retry-After "${wait}": waits for a plausible time, then continues`, async (t, dialect) => {
      const post = (n: number, key: string): Reply =>
        n <= 3 ? failure(429, 'SLOW', { 'retry-after': wait }) : success({ reference: `R-${key.length}` }, 202);
      const { connector, batches, service } = await play(t, dialect, { post });
      assert.equal(batches[0]!.state, 'accepted');
      const took = connector.now() - batches[0]!.plannedAt;
      assert.ok(took >= 3_000 && took < 4 * 86_400_000, `${took} ms`);
      assert.equal(service.counts.post, 4);
    });
  }
});

describe('a rejected key', () => {
  testOnEachDialect(
    'a key rejected while jobs are tracked is reported, and everything continues when it works again',
    async (t, dialect) => {
      let works = true;
      const rejected = failure(401, 'REVOKED');
      const overrides: Overrides = {
        post: (_, key) => (works ? success({ reference: `R-${key.slice(-6)}` }, 202) : rejected),
        detail: (_, reference) => (works ? success({ reference, status: 'processing' }) : rejected),
        me: () => (works ? success({ name: 'Shop' }) : rejected),
        list: () => (works ? success({ submissions: [], total: 0 }) : rejected),
      };
      const { service, connector } = await openScene(t, dialect, overrides);
      await connector.plan('run-1', PAGES);
      await connector.play({ steps: 6 });
      works = false;
      await connector.plan('run-2', [...PAGES, '3']);
      const before = service.counts.detail;
      const { messages } = await connector.play({ steps: 30 });
      assert.match(
        messages.join('\n'),
        /key_rejected: the API key was refused, "REVOKED: REVOKED", request q-2; nothing was charged/,
      );
      const { keyRejected } = await getAccountStatus(connector.ledger, ACCOUNT);
      assert.ok(keyRejected !== null);
      assert.match(renderReason(keyRejected), /correct the key or ask the service/);
      assert.ok(service.counts.detail - before < 30, 'the rejected key is not tried in a loop');
      works = true;
      const { messages: after } = await connector.play({ steps: 200 });
      assert.equal((await getAccountStatus(connector.ledger, ACCOUNT)).keyRejected, null);
      const batches = await listBatches(connector.ledger);
      assert.deepEqual(
        batches.map(({ state }) => state),
        ['accepted', 'accepted'],
        after.join('\n'),
      );
      assertSentOnce([...service.bodies.values()]);
    },
  );
});

describe('the lookup of a batch in doubt', () => {
  for (const [what, list, says] of [
    ['HTML', always(html(200)), null],
    ['no jobs field', always(success({ hello: 1 })), null],
    ['jobs without references', always(success({ submissions: [{ status: 'queued' }] })), null],
    [
      'endless new jobs',
      (n: number) =>
        success({
          submissions: Array.from({ length: 100 }, (_, at) => ({ reference: `X-${n}-${at}` })),
          has_more: true,
        }),
      /more than 2,000 jobs|jobs of the list may be the batch/,
    ],
    [
      'one job a hundred times',
      always(success({ submissions: Array.from({ length: 100 }, () => ({ reference: 'X' })), has_more: true })),
      /may be the batch/,
    ],
  ] as const) {
    testOnEachDialect(`a list with ${what}: nothing is sent again`, async (t, dialect) => {
      const overrides: Overrides = {
        post: (n) => (n === 1 ? success(null, 202) : success({ status: 'thanks' }, 202)),
        // The comparison before the first purchase reads a list that is sound.
        list: (n) => (n === 1 ? null : list(n)),
        detail: always(success({ status: 'queued' })),
      };
      const { service, batches, text } = await play(t, dialect, overrides, { steps: 40 });
      assert.equal(service.counts.post, 2, text);
      assert.ok(batches[0]!.state === 'needs_review' || batches[0]!.inDoubtSince !== null, text);
      if (says !== null) assert.match(batches[0]!.reason!, says);
    });
  }
});

describe('index-checks', () => {
  for (const [what, check, kind] of [
    [
      'more results than URLs',
      always(
        success({ results: Array.from({ length: 90 }, (_, n) => ({ url: `https://x.example/${n}`, found: true })) }),
      ),
      'checked',
    ],
    ['results that are numbers', always(success({ results: [1, 2] })), 'checked'],
    ['a charge below zero', always(success({ results: [], charged: -1 })), 'checked'],
    ['a charge beyond belief', always(success({ results: [], charged: 9e9 })), 'checked'],
    [
      'an unknown state',
      always(success({ results: PAGES.map((page) => ({ url: `https://shop.example/1/${page}`, status: 'perhaps' })) })),
      'checked',
    ],
    ['409', always(failure(409, 'CONFLICT')), 'stopped'],
    ['400', always(failure(400, 'BAD')), 'stopped'],
  ] as const) {
    testOnEachDialect(`${what}: charged at most once, and no result is invented`, async (t, dialect) => {
      const { connector, service, totals } = await play(t, dialect, { check });
      connector.pass(86_400_000);
      const step = await connector.check();
      assert.ok(step !== 'later');
      assert.equal(step.kind, kind);
      if (step.kind === 'checked') {
        assert.deepEqual([step.urls, step.found], [2, 0]);
        assert.match(step.stop ?? '', /none of its verdicts is known.*status_map.check/);
      }
      const charged = (await getAccountTotals(connector.ledger, ACCOUNT)).chargedEver - totals.chargedEver;
      assert.ok(charged === 0 || charged === 1_000_000, `${charged}`);
      assert.equal(service.counts.check, 1);
      assert.deepEqual(await connector.check(), { kind: 'idle' }, 'the same URLs are not checked again today');
    });
  }
});
