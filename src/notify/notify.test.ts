import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { stringify } from 'yaml';
import type { Micros } from '../../contract/money.ts';
import {
  ACCOUNT,
  completeRun,
  crawled,
  DAY,
  HOUR,
  NO_GUARD,
  sendAll,
  type TestLedger,
  testLedger,
  WATCH,
  waitFor,
} from '../../test/support/ledger.ts';
import type { Config } from '../config/config.ts';
import { readConfig } from '../config/load.ts';
import { sql } from '../database/sql.ts';
import { endStops, recordStop } from '../ledger/accounts/stops.ts';
import { listPendingBatches } from '../ledger/batches/batch-queries.ts';
import { beginSend } from '../ledger/batches/begin-send.ts';
import { recordAnswer } from '../ledger/batches/record-answer.ts';
import { holdSpending } from '../ledger/jobs/history-hold.ts';
import { recordBalance } from '../ledger/money/balance.ts';
import { confirmAccount } from '../ledger/money/confirm-account.ts';
import { learnPrice } from '../ledger/money/price.ts';
import { recordContact } from '../ledger/notices/contact.ts';
import { listUndelivered } from '../ledger/notices/queue.ts';
import { judgeRun } from '../ledger/plans/judge-run.ts';
import { planRun } from '../ledger/plans/make-plan.ts';
import { decideRun } from '../ledger/runs/decide-run.ts';
import { endRun } from '../ledger/runs/runs.ts';
import type { Logger } from '../observability/log.ts';
import type { AccountId, RunId } from '../submission/ids.ts';
import type { PriceEffect } from '../submission/new-price.ts';
import type { Message } from './message.ts';
import { createNotifier } from './notify.ts';
import { DeliveryError } from './send.ts';

const CANARY = 'canary-key-4711';
const MINUTE = 60_000;

const RAW_ACCOUNT = {
  base_url: ACCOUNT.baseUrl,
  api_key: { env: 'COURIER_TEST_API_KEY' },
  price_per_url: '0.25 TRY',
};

/** `more`: settings of the whole file, in place of its own. */
function configWith(notify: object = {}, watch: object = {}, more: object = {}): Config {
  process.env.COURIER_TEST_API_KEY = CANARY;
  return readConfig(
    stringify({
      version: 1,
      accounts: { main: RAW_ACCOUNT },
      watches: { shop: { account: 'main', sitemaps: ['https://shop.example/sitemap.xml'], ...watch } },
      notify: { channels: { ops: { webhook: { url: 'https://hook.example/x' } } }, ...notify },
      ...more,
    }),
    '/courier.yaml',
  );
}

/** A notifier whose messages are taken by a channel that works, or fails while `down` is set. */
function openNotifier(ledger: TestLedger, config: Config = configWith()) {
  const sent: Message[] = [];
  const log: string[] = [];
  const prices: ReadonlyMap<AccountId, readonly PriceEffect[]> = new Map();
  const scene = { down: false, refuses: false, config, prices, undelivered: false };
  const note = (_fields: object, text: string) => log.push(text);
  const notifier = createNotifier({
    ledger,
    getConfig: () => scene.config,
    log: { warn: note, error: note, info: () => undefined } as unknown as Logger,
    startedAt: ledger.now(),
    setUndelivered(is) {
      scene.undelivered = is;
    },
    forecastPrices: async () => scene.prices,
    async send(_channel, message) {
      if (scene.down) throw new Error(`refused with ${CANARY}`);
      if (scene.refuses) throw new DeliveryError('status 400', { isFinal: true });
      sent.push(message);
    },
  });
  return {
    ...{ notifier, sent, log, scene },
    titles: () => sent.map(({ title }) => title),
    /** Time passes with a check every `step`. */
    async pass(ms: number, each: () => Promise<void> = async () => undefined, step = 20 * MINUTE) {
      for (let at = 0; at < ms; at += step) {
        ledger.pass(step);
        await each();
        await notifier.check();
        await notifier.deliver();
      }
    },
  };
}

async function buyPages(ledger: TestLedger, run: string, pages: readonly string[]): Promise<void> {
  await crawled(ledger, run, { a: pages });
  await planRun(ledger, run as RunId, { account: ACCOUNT, watch: WATCH });
  await endRun(ledger, run as RunId, 'finished');
  await sendAll(ledger);
}

describe('notifications', () => {
  testLedger('a channel that takes no messages shows in the metrics and the ledger until it does', async (ledger) => {
    const { pass, scene, sent } = openNotifier(ledger);
    scene.down = true;
    await recordContact(ledger, ACCOUNT.id, 'connect ECONNREFUSED');
    await pass(HOUR);
    const [channel] = await listUndelivered(ledger, ['ops', 'other']);
    assert.deepEqual([scene.undelivered, channel?.channel, channel?.failure], [true, 'ops', 'refused with [secret]']);
    scene.down = false;
    await pass(2 * HOUR);
    assert.equal(sent.length > 0, true);
    assert.deepEqual([scene.undelivered, await listUndelivered(ledger, ['ops'])], [false, []]);
  });

  testLedger('an outage of 48 hours is two messages, whatever the watches do meanwhile', async (ledger) => {
    const scheduled = configWith({}, { schedule: { cron: '30 4 * * *' } });
    const { pass, sent, titles } = openNotifier(ledger, scheduled);
    await recordContact(ledger, ACCOUNT.id, null);
    await completeRun(ledger, 'first', { a: ['1'] });
    await pass(HOUR);
    assert.deepEqual(titles(), []);
    let turns = 0;
    await pass(2 * DAY, async () => {
      await recordContact(ledger, ACCOUNT.id, 'connect ECONNREFUSED');
      // The sites still respond: their runs read everything and wait for the service.
      if (turns++ % 72 === 50) await completeRun(ledger, `during-${turns}`, { a: ['1'] });
    });
    await pass(HOUR, () => recordContact(ledger, ACCOUNT.id, null));
    assert.deepEqual(titles(), ['main: the service does not respond', 'main: the service responds again']);
    assert.match(sent[0]?.lines.join('\n') ?? '', /Since 2026-01-15 13:20 UTC.*Reason: connect ECONNREFUSED/s);
    assert.match(sent[1]?.lines.join('\n') ?? '', /It lasted 2 d 0 h/);
  });

  testLedger('an outage of the site for 48 hours is two messages too', async (ledger) => {
    const { pass, sent, titles } = openNotifier(ledger, configWith({}, { schedule: { cron: '0 * * * *' } }));
    await completeRun(ledger, 'first', { a: ['1'] });
    let turns = 0;
    await pass(2 * DAY, async () => {
      if (turns++ % 3 === 0) await completeRun(ledger, `bad-${turns}`, { a: 'broken' }, { complete: false });
    });
    await completeRun(ledger, 'good', { a: ['1'] });
    await pass(HOUR);
    assert.deepEqual(titles(), ['shop: the last 2 runs were incomplete', 'shop: a run was complete again']);
    assert.match(sent[0]?.lines.join('\n') ?? '', /Reason: a: status 500/);
    assert.deepEqual(sent[0]?.commands, ['courier status --check']);
  });

  testLedger('a service that is away for less than ten minutes is no message', async (ledger) => {
    const { pass, titles } = openNotifier(ledger);
    await recordContact(ledger, ACCOUNT.id, 'status 503');
    await pass(9 * MINUTE, undefined, MINUTE);
    await recordContact(ledger, ACCOUNT.id, null);
    await pass(HOUR);
    assert.deepEqual(titles(), []);
  });

  testLedger(
    'a held run says how many URLs, how much money and the command; its decision is no message',
    async (ledger) => {
      const schedule = { cron: '0 5 * * *', timezone: 'Europe/Istanbul' };
      const { pass, sent } = openNotifier(ledger, configWith({ name: 'web-1' }, { schedule }));
      await crawled(ledger, 'held', { a: ['1', '2', '3', '4'] });
      await judgeRun(
        ledger,
        'held' as RunId,
        { ...NO_GUARD, maxNew: 1 },
        { input: { account: ACCOUNT, watch: WATCH } },
      );
      await pass(3 * DAY);
      assert.equal(sent.length, 1);
      const [message] = sent;
      assert.equal(message?.title, 'shop: a run waits for approval of 4 URLs, 1.00 TRY');
      assert.deepEqual(message?.commands, ['courier approve held', 'courier reject held']);
      assert.equal(message?.amount, 1_000_000);
      const text = message?.lines.join('\n') ?? '';
      assert.match(text, /Since 2026-01-15 15:00 Europe\/Istanbul\.\n.*\nReason: .*4.*1/);
      assert.match(text, /For example: https:\/\/shop\.example\/1 , https:\/\/shop\.example\/2 , /);
      assert.deepEqual(message?.installation, { name: 'web-1', ledger: '/.courier/ledger.db' });
      await decideRun(ledger, 'held' as RunId, 'approved', 'me');
      await endRun(ledger, 'held' as RunId, 'finished');
      await pass(HOUR);
      assert.equal(sent.length, 1);
    },
  );

  testLedger('a rejected key and its end are two messages', async (ledger) => {
    const { pass, titles } = openNotifier(ledger);
    await crawled(ledger, 'r', { a: ['1'] });
    await planRun(ledger, 'r' as RunId, { account: ACCOUNT, watch: WATCH });
    await endRun(ledger, 'r' as RunId, 'finished');
    await recordStop(ledger.db, ACCOUNT.id, {
      kind: 'key',
      at: 0,
      reason: { code: 'answer', outcome: 'reject_key', text: 'status 401' },
    });
    await pass(DAY);
    await endStops(ledger.db, ACCOUNT.id, 'key');
    await pass(HOUR);
    assert.deepEqual(titles(), ['main: the service rejects the API key', 'main: the API key works again']);
  });

  testLedger(
    'a balance below a week at the present rate is reported with its days, and when it suffices again',
    async (ledger) => {
      const { pass, titles } = openNotifier(ledger);
      await buyPages(
        ledger,
        'r',
        Array.from({ length: 28 }, (_, n) => String(n)),
      );
      await recordBalance(ledger, ACCOUNT.id, 7_000_000 as Micros);
      await pass(HOUR);
      assert.deepEqual(titles(), [], '7 TRY at 1 TRY a day are a week');
      await recordBalance(ledger, ACCOUNT.id, 3_500_000 as Micros);
      await pass(HOUR);
      await recordBalance(ledger, ACCOUNT.id, 100_000_000 as Micros);
      await pass(HOUR);
      assert.deepEqual(titles(), [
        'main: the balance of 3.50 TRY lasts for 3 days',
        'main: the balance suffices again',
      ]);
    },
  );

  testLedger('a held account names the command that recovers it', async (ledger) => {
    const { pass, sent } = openNotifier(ledger);
    await crawled(ledger, 'r', { a: ['1'] });
    await endRun(ledger, 'r' as RunId, 'finished');
    await holdSpending(ledger, ACCOUNT.id, { code: 'unknown_jobs', references: [], more: true });
    await pass(HOUR);
    assert.deepEqual(
      [sent.length, sent[0]?.kind, sent[0]?.commands],
      [1, 'account_held', ['courier recover --account main']],
    );
  });

  testLedger('an account that waits for the list of jobs needs no recovery', async (ledger) => {
    const { pass, sent } = openNotifier(ledger);
    await crawled(ledger, 'r', { a: ['1'] });
    await endRun(ledger, 'r' as RunId, 'finished');
    await holdSpending(ledger, ACCOUNT.id, { code: 'list_unread', why: 'HTTP 500' });
    await pass(HOUR);
    assert.deepEqual([sent.length, sent[0]?.kind, sent[0]?.commands], [1, 'account_stopped', ['courier status']]);
    assert.match(sent[0]?.lines.join('\n') ?? '', /Reason: the list of jobs cannot be read \(HTTP 500\)/);
  });

  testLedger('an account whose every batch is refused does not read as one without money', async (ledger) => {
    const { pass, sent } = openNotifier(ledger);
    await crawled(ledger, 'r', { a: ['1'] });
    await planRun(ledger, 'r' as RunId, { account: ACCOUNT, watch: WATCH });
    await endRun(ledger, 'r' as RunId, 'finished');
    const until = ledger.now() + DAY;
    const why = { status: 404, batches: 3, text: 'status 404', until };
    const reason = { code: 'requests_refused', account: ACCOUNT.id, ...why } as const;
    await recordStop(ledger.db, ACCOUNT.id, { kind: 'refusals', at: 0, until, reason });
    await pass(HOUR);
    assert.deepEqual(
      [sent.length, sent[0]?.kind, sent[0]?.title],
      [1, 'account_stopped', 'main: nothing is submitted'],
    );
    assert.match(sent[0]?.lines.join('\n') ?? '', /Reason: the service refused 3 batches/);
  });

  testLedger(
    'a configuration that names another service is reported at once, and ends with its correction',
    async (ledger) => {
      const { pass, sent, scene, titles } = openNotifier(ledger);
      const before = scene.config;
      await buyPages(ledger, 'first', ['1']);
      await pass(HOUR);
      scene.config = configWith(
        {},
        {},
        { accounts: { main: { ...RAW_ACCOUNT, base_url: 'https://other.example/api/v1' } } },
      );
      await pass(MINUTE, undefined, MINUTE);
      assert.deepEqual(
        [sent.length, sent[0]?.kind, sent[0]?.title],
        [1, 'account_stopped', 'main: nothing is submitted'],
      );
      assert.match(
        sent[0]?.lines.join('\n') ?? '',
        /Reason: account main belongs to https:\/\/service\.example.*names https:\/\/other\.example.*courier accounts move main/,
      );
      scene.config = before;
      await pass(MINUTE, undefined, MINUTE);
      assert.deepEqual(titles(), ['main: nothing is submitted', 'main: batches are submitted again']);
    },
  );

  testLedger(
    'a key of another account of the service is reported, until the service shows the first again',
    async (ledger) => {
      const { pass, sent, titles } = openNotifier(ledger);
      const confirm = (identity: string) =>
        confirmAccount(ledger, ACCOUNT.id, { identity, prices: { standard: null, fast: null } });
      await confirm('id=7');
      await confirm('id=8');
      await pass(MINUTE, undefined, MINUTE);
      assert.match(sent[0]?.lines.join('\n') ?? '', /another account of the service \(id=8\).*this ledger \(id=7\)/);
      await confirm('id=7');
      await pass(MINUTE, undefined, MINUTE);
      assert.deepEqual(titles(), ['main: nothing is submitted', 'main: batches are submitted again']);
    },
  );

  const unknownBalance = { code: 'balance_unknown', floor: 10_000_000 as Micros } as const;

  testLedger('an outage of the service is one message, and none of missing money', async (ledger) => {
    const { pass, titles } = openNotifier(ledger);
    await crawled(ledger, 'r', { a: ['1'] });
    await planRun(ledger, 'r' as RunId, { account: ACCOUNT, watch: WATCH });
    await endRun(ledger, 'r' as RunId, 'finished');
    await recordBalance(ledger, ACCOUNT.id, 29_750_000 as Micros);
    await recordContact(ledger, ACCOUNT.id, null);
    await waitFor(ledger, unknownBalance);
    await pass(4 * MINUTE, undefined, MINUTE);
    await recordContact(ledger, ACCOUNT.id, 'connect ECONNREFUSED');
    await pass(2 * HOUR, undefined, MINUTE);
    assert.deepEqual(titles(), ['main: the service does not respond']);
  });

  testLedger('a balance that the service does not show while it responds is reported as what it is', async (ledger) => {
    const { pass, sent } = openNotifier(ledger);
    await crawled(ledger, 'r', { a: ['1'] });
    await planRun(ledger, 'r' as RunId, { account: ACCOUNT, watch: WATCH });
    await endRun(ledger, 'r' as RunId, 'finished');
    await recordBalance(ledger, ACCOUNT.id, 29_750_000 as Micros);
    await waitFor(ledger, unknownBalance);
    await pass(HOUR, () => recordContact(ledger, ACCOUNT.id, null));
    assert.deepEqual([sent.length, sent[0]?.title], [1, 'main: nothing is submitted']);
    assert.match(sent[0]?.lines.join('\n') ?? '', /Reason: the balance is unknown/);
  });

  testLedger('the digest has the figures of now for what began before', async (ledger) => {
    const { notifier, pass, sent, titles } = openNotifier(ledger);
    await buyPages(
      ledger,
      'r',
      Array.from({ length: 28 }, (_, n) => String(n)),
    );
    await recordBalance(ledger, ACCOUNT.id, 6_000_000 as Micros);
    await pass(HOUR);
    assert.deepEqual(titles(), ['main: the balance of 6.00 TRY lasts for 6 days']);
    await recordBalance(ledger, ACCOUNT.id, 1_000_000 as Micros);
    await pass(HOUR);
    await notifier.queueDigest('today');
    await notifier.deliver();
    assert.equal(sent.length, 2);
    const text = sent[1]?.lines.join('\n') ?? '';
    assert.match(text, /balance 1\.00 TRY/);
    assert.match(text, /Open: main: the balance of 1\.00 TRY lasts for 1 day\. courier tonight/);
  });

  testLedger(
    'a ledger that cannot be written is reported at once, without the queue, unless events leave it out',
    async (ledger) => {
      const { notifier, sent, scene } = openNotifier(ledger, configWith({ name: 'web-1' }));
      const since = ledger.now();
      ledger.pass(90_000);
      const why = 'the SQLite file cannot be used: database or disk is full';
      await notifier.tellLedger({ why, since });
      ledger.pass(HOUR);
      await notifier.tellLedger(null);
      assert.deepEqual(
        sent.map(({ event, kind, title }) => [event, kind, title]),
        [
          ['began', 'ledger_unwritable', 'The ledger cannot be written'],
          ['ended', 'ledger_unwritable', 'The ledger can be written again'],
        ],
      );
      assert.match(sent[0]?.lines.join('\n') ?? '', /Since 2026-01-15 12:00 UTC.*disk is full/s);
      assert.equal(sent[0]?.installation.name, 'web-1');
      scene.config = configWith({ events: ['run_held'] });
      await notifier.tellLedger({ why, since });
      assert.equal(sent.length, 2);
      scene.config = configWith();
      scene.down = true;
      await assert.rejects(notifier.tellLedger({ why, since }));
    },
  );

  testLedger('a cap that keeps URLs back is reported with its reason, and when it no longer does', async (ledger) => {
    const { pass, sent, titles } = openNotifier(ledger);
    const capped = { ...ACCOUNT, spend: { ...ACCOUNT.spend, perDay: 250_000 as Micros } };
    await crawled(ledger, 'r', { a: ['1', '2', '3'] });
    await planRun(ledger, 'r' as RunId, { account: capped, watch: WATCH });
    await endRun(ledger, 'r' as RunId, 'finished');
    await sendAll(ledger);
    await pass(DAY);
    await crawled(ledger, 's', { a: ['1', '2', '3'] });
    await planRun(ledger, 's' as RunId, { account: ACCOUNT, watch: WATCH });
    await endRun(ledger, 's' as RunId, 'finished');
    await pass(HOUR);
    assert.deepEqual(titles(), ['shop: a cap or the balance keeps back 2 URLs', 'shop: no URL is kept back any more']);
    assert.match(sent[0]?.lines.join('\n') ?? '', /Reason: .*0\.25 TRY/);
    assert.deepEqual(sent[0]?.commands, ['courier plan shop']);
  });

  testLedger('a batch that needs review is reported once', async (ledger) => {
    const { pass, titles, sent } = openNotifier(ledger);
    await crawled(ledger, 'r', { a: ['1'] });
    await planRun(ledger, 'r' as RunId, { account: ACCOUNT, watch: WATCH });
    await endRun(ledger, 'r' as RunId, 'finished');
    const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    const sending = await beginSend(ledger, batch!.id, { account: ACCOUNT, watch: WATCH });
    assert.ok(sending.kind === 'send');
    const outcome = { kind: 'defect', chargeState: 'none', message: 'status 400' } as const;
    await recordAnswer(ledger, batch!.id, { attempt: sending.attempt, outcome, status: 400, requestId: null });
    await pass(2 * DAY);
    assert.deepEqual(titles(), ['main: 1 batch needs your review']);
    assert.match(sent[0]?.lines.join('\n') ?? '', /Nothing was charged for that/);
  });

  testLedger('a batch in review that may have been charged is reported with its money', async (ledger) => {
    const { pass, titles } = openNotifier(ledger);
    await crawled(ledger, 'r', { a: ['1', '2'] });
    await planRun(ledger, 'r' as RunId, { account: ACCOUNT, watch: WATCH });
    await endRun(ledger, 'r' as RunId, 'finished');
    const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    const sending = await beginSend(ledger, batch!.id, { account: ACCOUNT, watch: WATCH });
    assert.ok(sending.kind === 'send');
    await ledger.db.run(sql`UPDATE batches SET state = 'needs_review' WHERE id = ${batch!.id}`);
    await pass(HOUR);
    assert.deepEqual(titles(), ['main: 1 batch needs your review, 0.50 TRY may have been charged']);
  });

  testLedger('a quarantine that grows is reported at most once a day', async (ledger) => {
    const { pass, titles } = openNotifier(ledger);
    await buyPages(ledger, 'r', ['1', '2', '3', '4']);
    const { sql } = await import('../database/sql.ts');
    let quarantined = 0;
    const quarantineOne = () =>
      ledger.db.run(sql`
        UPDATE urls SET state = 'quarantined' WHERE id = (SELECT min(id) FROM urls WHERE state <> 'quarantined')`);
    await pass(36 * HOUR, async () => {
      if (quarantined++ < 3) await quarantineOne();
    });
    assert.deepEqual(titles(), ['shop: 1 URL in quarantine', 'shop: 3 URLs in quarantine']);
  });

  testLedger(
    'a watch with a schedule and without a complete run for two days is reported until it is paused',
    async (ledger) => {
      const schedule = { cron: '30 4 * * *' };
      const active = openNotifier(ledger, configWith({}, { schedule }));
      await completeRun(ledger, 'first', { a: ['1'] });
      await active.pass(49 * HOUR);
      assert.deepEqual(active.titles(), ['shop: no complete run for 2 days']);
      active.scene.config = configWith({}, { schedule, paused: true });
      await active.pass(2 * DAY);
      assert.equal(active.titles().length, 2, 'its end');
    },
  );

  testLedger(
    'a watch that runs on working days is not late after a weekend, and is after the next run',
    async (ledger) => {
      const active = openNotifier(ledger, configWith({}, { schedule: { cron: '30 4 * * 1-5' } }));
      await completeRun(ledger, 'friday', { a: ['1'] });
      await active.pass(3 * DAY);
      assert.deepEqual(active.titles(), []);
      await active.pass(3 * DAY);
      assert.equal(active.titles().length, 1);
    },
  );

  testLedger('events that the configuration leaves out are not sent', async (ledger) => {
    const { pass, titles } = openNotifier(ledger, configWith({ events: ['run_held'] }));
    await recordContact(ledger, ACCOUNT.id, 'status 503');
    await pass(DAY);
    assert.deepEqual(titles(), []);
  });

  testLedger('a watch that is removed from the configuration has not recovered', async (ledger) => {
    const { pass, titles, scene } = openNotifier(ledger, configWith({ failed_runs: 1 }));
    await completeRun(ledger, 'bad', { a: 'broken' }, { complete: false });
    await pass(HOUR);
    scene.config = { ...scene.config, watches: new Map() };
    await pass(HOUR);
    assert.deepEqual(titles(), ['shop: the last run was incomplete']);
  });

  testLedger(
    'a channel that is away gets every message once it is back, and no output holds the key',
    async (ledger) => {
      const { pass, sent, scene, log } = openNotifier(ledger);
      scene.down = true;
      await recordContact(ledger, ACCOUNT.id, `status 503 for Bearer ${CANARY}`);
      await pass(6 * HOUR);
      await recordContact(ledger, ACCOUNT.id, null);
      await pass(6 * HOUR);
      assert.equal(sent.length, 0);
      assert.equal(log.length, 1, 'one line, not one for each attempt');
      scene.down = false;
      await pass(HOUR);
      assert.deepEqual(
        sent.map(({ event }) => event),
        ['began', 'ended'],
      );
      assert.ok(!JSON.stringify([sent, log]).includes(CANARY));
      const { sql } = await import('../database/sql.ts');
      const queued = await ledger.db.all(sql`SELECT message, failure FROM notice_queue`);
      assert.ok(!JSON.stringify(queued).includes(CANARY), 'nor does the queue');
    },
  );

  testLedger('a message that cannot be delivered for three days is given up', async (ledger) => {
    const { pass, sent, scene, log } = openNotifier(ledger);
    scene.down = true;
    await recordContact(ledger, ACCOUNT.id, 'status 503');
    await pass(4 * DAY);
    assert.match(log.at(-1) ?? '', /given up after three days/);
    scene.down = false;
    await pass(HOUR);
    assert.equal(sent.length, 0);
  });

  testLedger('a message that its channel refuses does not hold up the next one', async (ledger) => {
    const { pass, titles, scene } = openNotifier(ledger);
    scene.refuses = true;
    await recordContact(ledger, ACCOUNT.id, 'status 503');
    await pass(HOUR);
    scene.refuses = false;
    await recordContact(ledger, ACCOUNT.id, null);
    await pass(HOUR);
    assert.deepEqual(titles(), ['main: the service responds again']);
  });

  testLedger('two workers of a ledger send one message', async (ledger) => {
    const first = openNotifier(ledger);
    const second = openNotifier(ledger);
    await recordContact(ledger, ACCOUNT.id, 'status 503');
    ledger.pass(HOUR);
    await Promise.all([first.notifier.check(), second.notifier.check()]);
    await Promise.all([first.notifier.deliver(), second.notifier.deliver()]);
    assert.equal(first.sent.length + second.sent.length, 1);
  });

  testLedger('a price that changes is reported once, with what it does to the next runs', async (ledger) => {
    const { pass, sent, scene, titles } = openNotifier(ledger);
    await recordBalance(ledger, ACCOUNT.id, 9_000_000 as Micros);
    const charge = async (amount: number) => {
      const at = ledger.now();
      await learnPrice(ledger.db, {
        account: ACCOUNT.id,
        service: 'standard',
        charge: amount as Micros,
        urls: 2,
        at,
        now: at,
      });
      return at;
    };
    await charge(500_000);
    await pass(HOUR);
    assert.deepEqual(titles(), []);
    const since = await charge(1_000_000);
    const prices = { before: 250_000 as Micros, after: 500_000 as Micros, configured: 250_000 as Micros };
    const effect = { urls: 4, cost: 2_000_000 as Micros, costBefore: 1_000_000 as Micros };
    scene.prices = new Map([[ACCOUNT.id, [{ service: 'standard', since, ...prices, ...effect }]]]);
    await pass(DAY);
    assert.deepEqual(titles(), ['main: the price of a URL (standard) rose from 0.25 TRY to 0.50 TRY']);
    const text = sent[0]?.lines.join('\n') ?? '';
    assert.match(text, /The next runs cost about 2\.00 TRY in place of 1\.00 TRY\. "price_per_url" is 0\.25 TRY; caps/);
    await pass(7 * DAY);
    assert.equal(sent.length, 1, 'nobody needs to hear that it is over');
  });

  testLedger(
    'what was charged since the balance was read is shown with it, and not counted as left',
    async (ledger) => {
      const { notifier, pass, sent, titles } = openNotifier(ledger);
      await recordBalance(ledger, ACCOUNT.id, 9_000_000 as Micros);
      ledger.pass(1_000);
      await buyPages(
        ledger,
        'r',
        Array.from({ length: 28 }, (_, n) => String(n)),
      );
      await pass(HOUR);
      assert.deepEqual(titles(), ['main: the balance of 2.00 TRY lasts for 2 days']);
      await notifier.queueDigest('today');
      await notifier.deliver();
      assert.match(
        sent[1]?.lines.join('\n') ?? '',
        /balance 9\.00 TRY \(read 60 min ago, before 7\.00 TRY charged since\)/,
      );
    },
  );

  testLedger('the digest has money, runs and what is open, once for its occasion', async (ledger) => {
    const { notifier, pass, sent } = openNotifier(ledger);
    await buyPages(ledger, 'r', ['1', '2']);
    await recordBalance(ledger, ACCOUNT.id, 9_000_000 as Micros);
    await recordContact(ledger, ACCOUNT.id, 'status 503');
    await pass(HOUR);
    sent.length = 0;
    await notifier.queueDigest('2026-01-15T13:00');
    await notifier.queueDigest('2026-01-15T13:00');
    await notifier.deliver();
    assert.equal(sent.length, 1);
    assert.equal(sent[0]?.title, 'Last 24 hours: 2 URLs submitted, 0.50 TRY charged, 1 open');
    const text = sent[0]?.lines.join('\n') ?? '';
    assert.match(text, /Account main: 2 URLs submitted, 0\.50 TRY charged, balance 9\.00 TRY \(read 60 min ago\)/);
    assert.match(text, /Watch shop: last run complete/);
    assert.match(text, /Open: main: the service does not respond\. courier doctor/);
  });
});
