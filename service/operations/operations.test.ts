import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { parseTry } from '../../contract/money.ts';
import { sql } from '../../src/database/sql.ts';
import { changeEntries } from '../../test/support/change-entries.ts';
import { type Bench, lira, serviceTest, urlList } from '../../test/support/service.ts';
import { begin, finish, recordOutcomes } from '../processing/transitions.ts';
import { openOperations } from './operations.ts';

const REASON = 'outage on Friday';

async function submit({ client }: Bench, urls = 4): Promise<string> {
  const { status, body } = await client.post('/submissions', `operations-${urls}-${Math.random()}`, {
    urls: urlList(urls),
  });
  assert.equal(status, 202);
  return body.data.reference;
}

describe('refund', () => {
  serviceTest('returns the rest of the charge, and never more', async (bench) => {
    const operations = openOperations(bench.db);
    const submission = await submit(bench);
    assert.equal(await bench.client.balance(), 999);
    await operations.refund({ submission, amount: lira('0.25'), reason: REASON });
    assert.equal(await bench.client.balance(), 999.25);
    await assert.rejects(
      operations.refund({ submission, amount: lira('0.76'), reason: REASON }),
      /0.75 TRY of the 1.00 TRY/,
    );
    assert.equal((await operations.refund({ submission, reason: REASON })).amount, lira('0.75'));
    await assert.rejects(operations.refund({ submission, reason: REASON }), /nothing was changed/);
    assert.equal(await bench.client.balance(), 1000);
    assert.equal((await bench.client.detail(submission)).refunded, 1);
    assert.deepEqual(await operations.audit(), []);
  });

  serviceTest('with a reference happens once, even when requested concurrently', async (bench) => {
    const operations = openOperations(bench.db);
    const submission = await submit(bench);
    const wanted = { submission, amount: lira('0.50'), reason: REASON, reference: 'case 7' };
    const done = await Promise.all([operations.refund(wanted), operations.refund(wanted), operations.refund(wanted)]);
    assert.equal(done.filter(({ repeated }) => !repeated).length, 1);
    assert.equal(await bench.client.balance(), 999.5);
    await assert.rejects(operations.refund({ ...wanted, amount: lira('0.25') }), /belongs to another entry/);
    const other = await submit(bench, 1);
    await assert.rejects(operations.refund({ ...wanted, submission: other }), /belongs to another entry/);
  });

  serviceTest(
    'before the end, and the refund of failed URLs at the end, together never exceed the charge',
    async (bench) => {
      const operations = openOperations(bench.db);
      const submission = await submit(bench);
      await operations.refund({ submission, amount: lira('0.75'), reason: REASON });
      await begin(bench.db, submission, 1);
      const outcomes = [0, 1, 2, 3].map((position) => ({ position, status: 'failed', reason: 'gone' }) as const);
      await recordOutcomes(bench.db, submission, outcomes, 2);
      assert.equal(await finish(bench.db, submission, { refundFailed: true, now: 3 }), 'failed');
      assert.equal(await bench.client.balance(), 1000);
      assert.equal((await bench.client.detail(submission)).refunded, 1);
      assert.deepEqual(await operations.audit(), []);
    },
  );
});

describe('submission fail', () => {
  serviceTest('ends a queued submission: every URL fails with the reason and is refunded', async (bench) => {
    const operations = openOperations(bench.db);
    const reference = await submit(bench);
    const failed = await operations.fail(reference, { reason: REASON, refund: true });
    assert.deepEqual([failed.urls, failed.refunded], [4, lira('1')]);
    const detail = await bench.client.detail(reference);
    assert.deepEqual([detail.status, detail.urls_failed, detail.refunded], ['failed', 4, 1]);
    assert.ok(detail.urls.every(({ status, reason }) => status === 'failed' && reason === REASON));
    assert.equal(await bench.client.balance(), 1000);
    assert.deepEqual(await operations.audit(), []);
  });

  serviceTest('keeps outcomes, and a running workflow changes nothing afterwards', async (bench) => {
    const operations = openOperations(bench.db);
    const reference = await submit(bench);
    await begin(bench.db, reference, 1);
    await recordOutcomes(bench.db, reference, [{ position: 0, status: 'completed', reason: null }], 2);
    const failed = await operations.fail(reference, { reason: REASON, refund: true });
    assert.deepEqual([failed.urls, failed.refunded, failed.submission.status], [3, lira('0.75'), 'partial']);
    await recordOutcomes(bench.db, reference, [{ position: 1, status: 'completed', reason: null }], 3);
    assert.equal(await finish(bench.db, reference, { refundFailed: true, now: 4 }), 'partial');
    assert.equal(await begin(bench.db, reference, 5), false);
    assert.equal(await bench.client.balance(), 999.75);
    assert.deepEqual(await operations.audit(), []);
  });

  serviceTest('without a refund keeps the charge; an ended submission is left as it is', async (bench) => {
    const operations = openOperations(bench.db);
    const reference = await submit(bench);
    await operations.fail(reference, { reason: REASON, refund: false });
    assert.equal(await bench.client.balance(), 999);
    await assert.rejects(operations.fail(reference, { reason: REASON, refund: true }), /has ended as failed/);
    assert.equal(await bench.client.balance(), 999);
  });

  serviceTest('concurrent with arriving outcomes gives each URL one outcome, counted once', async (bench) => {
    const operations = openOperations(bench.db);
    const reference = await submit(bench, 40);
    await begin(bench.db, reference, 1);
    const arriving = urlList(40).map((_, position) =>
      recordOutcomes(bench.db, reference, [{ position, status: 'completed', reason: null }], 2),
    );
    await Promise.all([
      ...arriving.slice(0, 20),
      operations.fail(reference, { reason: REASON, refund: true }),
      ...arriving,
    ]);
    assert.deepEqual(await operations.audit(), []);
    const { urls_completed, urls_failed, refunded } = await bench.client.detail(reference);
    assert.equal(urls_completed + urls_failed, 40);
    assert.equal(refunded, urls_failed * 0.25);
  });
});

describe('submission requeue', () => {
  serviceTest('dispatches an open submission again, and rejects an ended one', async (bench) => {
    const operations = openOperations(bench.db);
    const reference = await submit(bench);
    await bench.db.run(sql`UPDATE submissions SET dispatched_at = 5 WHERE reference = ${reference}`);
    assert.equal((await operations.submission(reference)).dispatched_at, 5);
    assert.equal((await operations.requeue(reference)).dispatched_at, null);
    assert.equal((await operations.submission(reference)).dispatched_at, null);
    await operations.fail(reference, { reason: REASON, refund: true });
    await assert.rejects(operations.requeue(reference), /has ended as failed; nothing was changed/);
    await assert.rejects(operations.requeue('sub_nothing'), /there is no submission/);
  });
});

describe('audit', () => {
  serviceTest('finds nothing after submissions, index-checks, refunds and adjustments', async (bench) => {
    const { client, service, account, db } = bench;
    const operations = openOperations(db);
    await submit(bench);
    await client.post('/index-check', 'audit-check-1', { urls: urlList(2) });
    await client.post('/index-check', 'audit-check-2', { urls: ['https://shop.example/~down'] });
    await operations.refund({ submission: await submit(bench), reason: REASON });
    await service.accounts.move(account, 'adjustment', { amount: lira('-3'), reason: REASON, reference: 'case 1' });
    assert.deepEqual(await operations.audit(), []);
  });

  const DAMAGES: readonly (readonly [string, RegExp, (bench: Bench, reference: string) => Promise<unknown>])[] = [
    ['a balance', /balance of an account/, ({ db }) => db.run(sql`UPDATE accounts SET balance = balance + 1`)],
    [
      'an entry',
      /balance after an entry/,
      ({ db }) => changeEntries(db, sql`UPDATE entries SET amount = amount - 1 WHERE kind = 'charge'`),
    ],
    ['a charge', /charged once/, ({ db }) => db.run(sql`UPDATE submissions SET charged = charged + 1`)],
    ['a refund', /refunds of a submission/, ({ db }) => db.run(sql`UPDATE submissions SET refunded = 1`)],
    [
      'an index-check',
      /index-check is charged once/,
      ({ db }) => db.run(sql`UPDATE index_checks SET status = 'restored'`),
    ],
    [
      'the subject of an entry',
      /belongs to a submission or an index-check/,
      ({ db }) => changeEntries(db, sql`UPDATE entries SET subject = 'sub_other' WHERE kind = 'charge'`),
    ],
    [
      'a URL',
      /counts its URLs/,
      ({ db }) => db.run(sql`UPDATE submission_urls SET status = 'failed' WHERE position = 0`),
    ],
    ['a state', /has ended when every URL/, ({ db }) => db.run(sql`UPDATE submissions SET status = 'completed'`)],
  ];
  for (const [what, rule, damage] of DAMAGES) {
    serviceTest(`detects that ${what} was changed by hand`, async (bench) => {
      const reference = await submit(bench);
      await bench.client.post('/index-check', 'audit-check-1', { urls: urlList(1) });
      await bench.db.run(sql`CREATE TABLE kept_accounts AS SELECT id, balance FROM accounts`);
      await bench.db.run(sql`CREATE TABLE kept_entries AS SELECT id, amount FROM entries`);
      await damage(bench, reference);
      const found = await openOperations(bench.db).audit();
      assert.ok(
        found.some((each) => rule.test(each.rule)),
        JSON.stringify(found),
      );
      // The bench compares balances and entries at the end of every test.
      await bench.db.run(
        sql`UPDATE accounts SET balance = (SELECT k.balance FROM kept_accounts AS k WHERE k.id = accounts.id)`,
      );
      await changeEntries(
        bench.db,
        sql`UPDATE entries SET amount = (SELECT k.amount FROM kept_entries AS k WHERE k.id = entries.id)`,
      );
    });
  }
});

describe('money of an account', () => {
  serviceTest(
    'a top-up with a reference is added once, even when requested concurrently',
    async ({ client, service, account }) => {
      const movement = { amount: lira('10'), reference: 'invoice 12' };
      const moved = await Promise.all([1, 2, 3].map(() => service.accounts.move(account, 'top_up', movement)));
      assert.equal(moved.filter(({ repeated }) => repeated).length, 2);
      assert.equal(await client.balance(), 1010);
      await assert.rejects(
        service.accounts.move(account, 'top_up', { ...movement, amount: lira('11') }),
        /belongs to a top-up of 10.00 TRY/,
      );
      await assert.rejects(
        service.accounts.move(account, 'adjustment', { ...movement, reason: REASON }),
        /belongs to a top-up/,
      );
      assert.equal(await client.balance(), 1010);
    },
  );

  serviceTest(
    'an adjustment adds or deducts, needs reason and reference, and never goes below zero',
    async ({ client, service, account }) => {
      const adjust = (amount: string, reference: string, reason = REASON) =>
        service.accounts.move(account, 'adjustment', { amount: parseTry(amount)!, reference, reason });
      await adjust('-1.50', 'case 1');
      await adjust('0.25', 'case 2');
      assert.equal(await client.balance(), 998.75);
      await assert.rejects(adjust('-998.76', 'case 3'), /does not cover 998.76 TRY; nothing was changed/);
      await assert.rejects(adjust('1', 'case 4', ''), /a reason or reference must/);
      await assert.rejects(adjust('0', 'case 5'), /must not be 0; nothing was changed/);
      assert.equal(await client.balance(), 998.75);
      const { entries } = await service.accounts.statement(account, { from: 0, to: Date.now() + 1 });
      assert.deepEqual(
        entries.map(({ kind, amount, reference, reason }) => [kind, amount, reference, reason]),
        [
          ['top_up', lira('1000'), null, null],
          ['adjustment', parseTry('-1.50'), 'case 1', REASON],
          ['adjustment', lira('0.25'), 'case 2', REASON],
        ],
      );
    },
  );

  serviceTest('a statement begins and ends with the balance of its days', async (bench) => {
    const { service, account, db } = bench;
    await submit(bench);
    await changeEntries(db, sql`UPDATE entries SET created_at = 1000 WHERE kind = 'top_up'`);
    await changeEntries(db, sql`UPDATE entries SET created_at = 2000 WHERE kind = 'charge'`);
    const read = (from: number, to: number) => service.accounts.statement(account, { from, to });
    const whole = await read(0, 3000);
    assert.deepEqual([whole.opening, whole.closing, whole.entries.length], [0, lira('999'), 2]);
    const second = await read(2000, 3000);
    assert.deepEqual(
      [second.opening, second.closing, second.totals],
      [lira('1000'), lira('999'), { charge: -1_000_000 }],
    );
    const empty = await read(3000, 4000);
    assert.deepEqual([empty.opening, empty.closing, empty.entries.length], [lira('999'), lira('999'), 0]);
  });

  serviceTest('every price is kept with its time and reason', async ({ service, account }) => {
    await service.accounts.setPrice(account, 'fast', lira('0.75'), 'new contract');
    const prices = await service.accounts.prices(account);
    assert.deepEqual(
      prices.map(({ service: level, price, reason }) => [level, price, reason]),
      [
        ['standard', lira('0.25'), null],
        ['fast', lira('0.25'), null],
        ['fast', lira('0.75'), 'new contract'],
      ],
    );
  });
});

describe('status of an account', () => {
  serviceTest(
    'a suspended account is rejected without disclosing the reason, and works again when resumed',
    async (bench) => {
      const { client, service, account } = bench;
      await service.accounts.suspend(account, 'unpaid invoice');
      const refused = await client.post('/submissions', 'suspended-1', { urls: urlList(1) });
      assert.deepEqual([refused.status, refused.body.error?.code], [401, 'unauthorized']);
      assert.match(refused.body.message, /account is suspended\. Nothing was charged/);
      await assert.rejects(service.accounts.suspend(account, 'again'), /is suspended; nothing was changed/);
      await service.accounts.resume(account);
      assert.equal(await client.balance(), 1000);
      await assert.rejects(service.accounts.resume(account), /is active, not suspended/);
    },
  );

  serviceTest('an account with money cannot be closed; a closed one has neither keys nor sign-in', async (bench) => {
    const { client, service, account } = bench;
    await assert.rejects(service.accounts.close(account, 'left'), /holds 1000.00 TRY; pay it back/);
    const paid = { amount: parseTry('-1000')!, reason: 'paid back', reference: 'transfer 1' };
    await service.accounts.move(account, 'adjustment', paid);
    await service.accounts.close(account, 'left');
    assert.equal((await client.get('/balance')).status, 401);
    assert.ok((await service.accounts.keys(account)).every(({ revokedAt }) => revokedAt !== null));
    await assert.rejects(service.accounts.resume(account), /is closed, not suspended/);
    const events = await service.accounts.events(account, 10);
    assert.deepEqual(
      events.map(({ event }) => event),
      ['account.closed', 'balance.adjusted', 'key.created', 'account.created'],
    );
  });
});
