import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { readConfig } from '../src/config/load.ts';
import { LedgerError } from '../src/ledger/ledger-error.ts';
import { RateLimitedError } from '../src/rate-limit/limiter.ts';
import type { AccountId, WatchId } from '../src/submission/ids.ts';
import { isRetryLater, retryLater } from '../src/temporal-api/retry-later.ts';
import type { CanWait } from '../src/temporal-api/waits.ts';
import { countAttempts, showWaits } from './shown-waits.ts';

const config = readConfig(
  `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { env: UNUSED } }
  other: { base_url: "https://other.example/api/v1", api_key: { env: UNUSED } }
watches:
  shop: { account: main, project: Shop, sitemaps: [a.xml], hosts: ["*"], schedule: { cron: "30 4 * * *", timezone: Europe/Istanbul } }
  press: { account: main, project: Press, sitemaps: [b.xml], hosts: ["*"], schedule: { cron: "30 4 * * *", timezone: Asia/Tokyo } }`,
  '/courier.yaml',
);
const now = () => Date.UTC(2026, 0, 31, 1, 0, 0);
const MINUTES = 60_000;

/** Calls an activity that throws this, as its third attempt. */
const call = (error: unknown, input: CanWait & { readonly watch?: WatchId; readonly account?: AccountId } = {}) => {
  const work = showWaits({ config, now }, 'next check', async (_: typeof input & { account: AccountId }) => {
    throw error;
  });
  const info = { attempt: 3, scheduledTimestampMs: 77 };
  return new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') }).run(() =>
    work({ account: 'main' as AccountId, ...input }),
  );
};

const waits = { fromMs: 10_000, attempts: 4, since: null };

describe('an activity that waits', () => {
  test('says in its failure when it goes on, in the zone of the watch, without a stack', async () => {
    const failure = await call(retryLater(30 * MINUTES, 'no money.'), { watch: 'press' as WatchId }).catch(
      (error: unknown) => error,
    );
    assert.ok(isRetryLater(failure));
    assert.equal(failure.message, 'no money; next check 2026-01-31 10:30 Asia/Tokyo');
    assert.equal(failure.nextRetryDelay, 30 * MINUTES);
    assert.equal(failure.stack, '');
  });

  for (const [account, time] of [
    ['main', '2026-01-31 04:30 Europe/Istanbul'],
    ['other', '2026-01-31 01:30 UTC'],
  ] as const) {
    test(`without a watch names the zone of a watch of the account (${account})`, async () => {
      await assert.rejects(
        call(retryLater(30 * MINUTES, 'no money'), { account: account as AccountId }),
        (error: Error) => error.message.endsWith(`next check ${time}`),
      );
    });
  }

  test('ends where the workflow shows its waits, with all that a timer needs', async () => {
    assert.deepEqual(await call(retryLater(30 * MINUTES, 'no money'), { waits }), {
      waiting: {
        waitMs: 30 * MINUTES,
        why: 'no money',
        next: 'next check 2026-01-31 04:30 Europe/Istanbul',
        attempts: 7,
        since: 77,
      },
    });
    const again = (await call(retryLater(30 * MINUTES, 'no money'), { waits: { ...waits, since: 5 } })) as never as {
      waiting: { since: number };
    };
    assert.equal(again.waiting.since, 5, 'the first call began the wait');
  });

  test('is retried for a shorter wait, which is named to the second', async () => {
    await assert.rejects(call(retryLater(9_999, 'no money'), { waits }), /next check 2026-01-31 04:00:09 Europe/);
  });

  test('shows a denial of the rate limiter as a wait', async () => {
    const denied = new RateLimitedError('submission', { waitMs: MINUTES, why: 'the hour is used up' } as never);
    const { waiting } = (await call(denied, { waits })) as never as { waiting: { why: string; waitMs: number } };
    assert.deepEqual([waiting.waitMs, waiting.why.slice(0, 19)], [MINUTES, 'the hour is used up']);
  });

  test('fails as before for what is not a wait', async () => {
    const error = await call(new LedgerError('UNKNOWN_RUN', 'no such run'), { waits }).catch(
      (caught: unknown) => caught,
    );
    assert.ok(error instanceof ApplicationFailure && error.nonRetryable);
    await assert.rejects(call(new TypeError('a defect'), { waits }), TypeError);
  });

  test('counts the attempts of all its calls', async () => {
    const count = new MockActivityEnvironment({ attempt: 3 }).run(async () => [
      countAttempts(undefined),
      countAttempts(waits),
    ]);
    assert.deepEqual(await count, [3, 7]);
  });
});
