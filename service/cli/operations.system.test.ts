import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { describe, test } from 'node:test';
import { sql } from '../../src/database/sql.ts';
import { changeEntries } from '../../test/support/change-entries.ts';
import { openService, urlList } from '../../test/support/service.ts';
import { printService, runService } from '../../test/support/service-processes.ts';

describe('money commands of courier-service', () => {
  test('top-up, adjust and refund apply once per reference, and statement and prices show them', async (t) => {
    const { client, url, account, db } = await openService(t, 'sqlite');
    const run = (...args: string[]) => runService(...args, '--database', url);
    const named = ['--name', account];
    const { body } = await client.post('/submissions', 'cli-operations-1', { urls: urlList(4) });
    const { reference } = body.data;

    const topUp = ['account', 'top-up', ...named, '--amount', '5', '--reference', 'invoice 1'];
    assert.deepEqual(
      [(await run(...topUp)).records[1]?.repeated, (await run(...topUp)).records[1]?.repeated],
      [false, true],
    );
    const adjust = await run(
      'account',
      'adjust',
      ...named,
      '--amount',
      '-2.50',
      '--reason',
      'typing error',
      '--reference',
      'case 1',
    );
    assert.equal(adjust.records[1]?.balance_micros, 1_001_500_000);
    const refund = await run('refund', reference, '--amount', '0.25', '--reason', 'outage');
    assert.deepEqual([refund.records[1]?.refunded_now_micros, refund.records[1]?.refunded_micros], [250_000, 250_000]);
    assert.equal((await run('refund', reference, '--amount', '9', '--reason', 'outage')).code, 2);
    assert.equal(
      (await run('account', 'adjust', ...named, '--amount', '-2.50')).code,
      2,
      'reason and reference are required',
    );

    await run('account', 'set-price', ...named, '--price', '0.30', '--reason', 'new year');
    assert.deepEqual(
      (await run('account', 'prices', ...named)).records
        .slice(1, -1)
        .map(({ price_micros, reason }) => [price_micros, reason]),
      [
        [250_000, null],
        [250_000, null],
        [300_000, 'new year'],
      ],
    );

    await changeEntries(db, sql`UPDATE entries SET created_at = 1795000000000`);
    const days = ['--from', '2026-11-18', '--to', '2026-11-18'];
    const { records } = await run('account', 'statement', ...named, ...days);
    assert.deepEqual(
      records.slice(1, -2).map(({ kind, amount_micros }) => [kind, amount_micros]),
      [
        ['top_up', 1_000_000_000],
        ['charge', -1_000_000],
        ['top_up', 5_000_000],
        ['adjustment', -2_500_000],
        ['refund', 250_000],
      ],
    );
    const { opening_balance_micros, closing_balance_micros } = records.at(-2) ?? {};
    assert.deepEqual([opening_balance_micros, closing_balance_micros], [0, 1_001_750_000]);
    const csv = await printService('account', 'statement', ...named, ...days, '--database', url);
    assert.match(csv, /time_utc,kind,subject/);
    assert.match(csv, /adjustment,adjustment,case 1,typing error,-2\.50,1001\.50\r\n/);
    assert.equal(await client.balance(), 1001.75);
  });

  test('submission show, fail and requeue; suspend and resume; reset-link and events', async (t) => {
    const { client, url, account } = await openService(t, 'sqlite');
    const run = (...args: string[]) => runService(...args, '--database', url);
    const { body } = await client.post('/submissions', 'cli-operations-1', { urls: urlList(4) });
    const { reference } = body.data;
    assert.deepEqual(
      [await run('submission', 'show', reference), await run('submission', 'requeue', reference)].map(
        ({ records }) => records[1]?.status,
      ),
      ['queued', 'queued'],
    );
    const failed = (await run('submission', 'fail', reference, '--reason', 'the host is gone')).records[1]!;
    assert.deepEqual([failed.status, failed.failed_now, failed.refunded_now_micros], ['failed', 4, 1_000_000]);
    assert.equal((await run('submission', 'requeue', reference)).code, 2);
    await run('account', 'suspend', '--name', account, '--reason', 'unpaid');
    assert.equal((await client.get('/balance')).status, 401);
    await run('account', 'resume', '--name', account);
    assert.equal(await client.balance(), 1000);
    const link = (await run('account', 'reset-link', '--name', account, '--address', 'https://service.example/'))
      .records[1]!;
    assert.match(String(link.link), /^https:\/\/service\.example\/reset\/[\w-]{43}$/);
    assert.deepEqual(
      (await run('account', 'events', '--name', account, '--limit', '4')).records
        .slice(1, -1)
        .map(({ event, actor }) => `${event} ${actor}`),
      ['password.reset_link_created', 'account.resumed', 'account.suspended', 'submission.failed'].map(
        (event) => `${event} operator`,
      ),
    );
    const events = (await run('events')).records.slice(1, -1);
    assert.ok(events.every(({ account: name }) => name === account));
    const failedEvent = events.find(({ event }) => event === 'submission.failed')!;
    assert.match(String(failedEvent.address), new RegExp(`^[^ @]+@${hostname()}`), 'who did it, and on which machine');
    const later = (await run('events', '--after', String(failedEvent.id))).records.slice(1, -1);
    assert.deepEqual(
      later.map(({ event }) => event),
      ['account.suspended', 'account.resumed', 'password.reset_link_created'],
    );
  });

  test('audit exits with 0 for a consistent database and with 3 when a balance was changed by hand', async (t) => {
    const { url, db } = await openService(t, 'sqlite');
    assert.equal((await runService('audit', '--database', url)).code, 0);
    await db.run(sql`UPDATE accounts SET balance = balance + 1`);
    const { code, records, stderr } = await runService('audit', '--database', url);
    await db.run(sql`UPDATE accounts SET balance = balance - 1`);
    assert.equal(code, 3);
    assert.deepEqual(
      records.slice(1).map(({ type, ok, found }) => [type, ok, found]),
      [
        ['difference', undefined, '1000000001'],
        ['summary', false, undefined],
      ],
    );
    assert.match(stderr, /1 difference between balances/);
  });
});
