import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { micros, ZERO } from '../../../contract/money.ts';
import { readConfig } from '../../config/load.ts';
import type { EarlierBatches } from '../../ledger/reports/earlier-work.ts';
import type { BatchLine } from '../../ledger/reports/lists.ts';
import type { BatchId, IdempotencyKey, Reference, WatchId } from '../../submission/ids.ts';
import type { NewPrice } from '../../submission/new-price.ts';
import type { Reason } from '../../submission/reason.ts';
import type { WatchResult } from '../../temporal-api/workflows.ts';
import { getWatch } from '../with-ledger.ts';
import { formatOverdue, formatReview, listNotices } from './notices.ts';

const config = readConfig(
  `version: 1
accounts: { main: { base_url: "https://x.example/api/v1", api_key: { env: X } } }
watches: { shop: { account: main, sitemaps: ["https://shop.example/sitemap.xml"] } }`,
  'courier.yaml',
);
const watch = getWatch(config.watches, 'shop');

const plan = { batches: 1, urls: 10, cost: micros(2_500_000), basis: 'learned', held: 0, heldReason: null } as const;
const report = {
  batches: 1,
  submitted: 10,
  completed: 10,
  failed: 0,
  open: 0,
  quarantined: 0,
  withoutResult: 0,
  stopped: 0,
  charged: ZERO,
  unknownChargeUrls: 0,
  unanswered: 0,
};
const good: WatchResult = {
  crawl: {
    urls: 10,
    sitemaps: 1,
    complete: true,
    problems: [],
    unmatchedRules: [],
    saved: { sitemaps: 0, bytes: 0, ms: 0 },
  },
  counts: { found: 10, new: 10, changed: 0, known: 0, gone: 0, skipped: 0, complete: true, firstRun: true },
  plan,
  report,
  decision: 'none needed',
};

const needsReview: BatchLine = {
  batch: 7 as BatchId,
  watch: 'shop' as WatchId,
  account: watch.account,
  run: null,
  decision: null,
  service: 'standard',
  project: 'Shop',
  key: 'sc1-0123' as IdempotencyKey,
  tag: 'sc0123',
  urls: 10,
  state: 'needs_review',
  reason: 'the service answered 409.',
  isUncharged: false,
  attempts: 1,
  expectedCost: null,
  charge: null,
  reference: null,
  jobState: null,
  plannedAt: 0,
  acceptedAt: null,
  endedAt: null,
  settledAt: null,
  completed: 0,
  failed: 0,
  inDoubtSince: null,
  notBefore: null,
};

describe('notices of a run', () => {
  test('say that a first run adopted what is there, and not when it bought something', () => {
    const adopted = {
      ...good,
      plan: { ...plan, batches: 0, urls: 0 },
      report: { ...report, batches: 0, submitted: 0 },
    };
    assert.deepEqual(listNotices(watch, adopted), {
      sentences: [
        'shop: 10 URLs adopted without buying them: a first run takes what is there as known (first_run: baseline).',
      ],
      exitCode: 0,
    });
    assert.deepEqual(listNotices(watch, good).sentences, []);
    const later = { ...adopted, counts: { ...good.counts, firstRun: false } };
    assert.deepEqual(listNotices(watch, later).sentences, []);
  });

  test('a successful run has none and exits with 0', () => {
    assert.deepEqual(listNotices(watch, good), { sentences: [], exitCode: 0 });
  });

  test('a sitemap without a URL in scope is named with what was found, and the exit code is 3', () => {
    const counts = { ...good.counts, found: 0, new: 0, skipped: 7 };
    const { sentences, exitCode } = listNotices(watch, { ...good, counts, plan: null, report: null });
    assert.equal(exitCode, 3);
    assert.match(
      sentences.join(),
      /shop\.example\/sitemap\.xml.*all 7 URLs are out of scope.*Nothing was submitted or charged.*"hosts"/,
    );
  });

  test('a host or glob that matches nothing is a warning: it may be right, so the run ends with 0', () => {
    const crawl = { ...good.crawl, unmatchedRules: ['exclude /drafts/**', 'include /p q/**', 'host img.example'] };
    const { sentences, exitCode } = listNotices(watch, { ...good, crawl });
    assert.equal(exitCode, 0);
    assert.deepEqual(sentences, [
      'shop: exclude "/drafts/**" matches no URL of the sitemaps. It leaves nothing out. Check how it is written, or remove it.',
      'shop: include "/p q/**" matches no URL of the sitemaps. It lets nothing in. Check how it is written, or remove it.',
      'shop: host "img.example" matches no URL of the sitemaps. It lets nothing in. Check how it is written, or remove it.',
    ]);
  });

  test('the exit code is 7 for a cap, 3 for a failed URL, and 8 for a rejected run even at a cap', () => {
    const held = { ...good, plan: { ...plan, held: 4, heldReason: 'over 250 TRY a run' } };
    assert.equal(listNotices(watch, held).exitCode, 7);
    assert.match(listNotices(watch, held).sentences.join(), /4 URLs held back: over 250 TRY a run/);
    assert.equal(listNotices(watch, { ...held, decision: 'rejected' }).exitCode, 8);
    assert.equal(listNotices(watch, { ...good, report: { ...report, failed: 1 } }).exitCode, 3);
  });

  test('URLs whose job ended without a result for them are named, with what that means, and the run ends with 3', () => {
    const { sentences, exitCode } = listNotices(watch, {
      ...good,
      report: { ...report, withoutResult: 2, withoutResultBatch: 12 },
    });
    assert.equal(exitCode, 3);
    assert.match(
      sentences.join(),
      /^shop: the job ended without a result that could be read for 2 URLs\. They count as bought: not submitted.*"courier batches show 12".*status_map/,
    );
    assert.deepEqual(listNotices(watch, { ...good, report: { ...report, withoutResult: 0 } }).sentences, []);
  });

  test('a run that ended before its batches had an answer says what it left, and ends with 7', () => {
    const { sentences, exitCode } = listNotices(watch, { ...good, report: { ...report, unanswered: 2 } });
    assert.equal(exitCode, 7);
    assert.match(
      sentences.join(),
      /^shop: 2 batches not accepted when the run ended\. .*the next run crawls as scheduled/,
    );
  });

  test('what earlier runs left is said until it is sent, with what holds it', () => {
    const none = { suspended: null, keyRejected: null };
    const listed = (earlier: Partial<EarlierBatches>) => {
      const { sentences, exitCode } = listNotices(watch, good, {
        earlier: { batches: 2, urls: 60, due: 0, needsReview: 0, account: none, ...earlier },
      });
      return [exitCode, sentences.join()];
    };
    assert.deepEqual(listed({ batches: 0, urls: 0 }), [0, '']);
    const [later, sentence] = listed({});
    assert.equal(later, 3);
    assert.match(
      String(sentence),
      /^shop: 2 batches of earlier runs \(60 URLs\) wait for another attempt .*it keeps its key/,
    );
    const hold: Reason = { code: 'history_hold', account: watch.account, hold: { code: 'recovering', references: [] } };
    const refused: Reason = {
      code: 'requests_refused',
      account: watch.account,
      status: 404,
      batches: 3,
      text: 'status 404',
      until: 0,
    };
    assert.equal(listed({ account: { ...none, suspended: refused } })[0], 3, 'a refusal is not a matter of money');
    const codes = [
      listed({ account: { ...none, suspended: hold }, batches: 0 }),
      listed({ account: { ...none, suspended: { code: 'insufficient_balance', text: 'too little' } } }),
      listed({ account: { ...none, keyRejected: { code: 'reported', text: 'wrong key' } } }),
    ];
    assert.deepEqual(
      codes.map(([code]) => code),
      [3, 7, 6],
    );
    assert.match(String(codes[0]?.[1]), /^shop: the account is held: /);
  });

  test('a batch of an earlier run that needs review ends every run with 3 until you decide', () => {
    const account = { suspended: null, keyRejected: null };
    const { sentences, exitCode } = listNotices(watch, good, {
      earlier: { batches: 0, urls: 0, due: 0, needsReview: 2, account },
    });
    assert.equal(exitCode, 3);
    assert.match(
      sentences.join(),
      /^shop: 2 batches of earlier runs need review: nothing more of them is sent .*batches list --state needs_review/,
    );
  });

  test('what the service said against an accepted batch is shown, the first five of them', () => {
    const odd = { ...needsReview, reference: 'R-7' as Reference, reason: 'charged 2.00 TRY in place of 1.00 TRY' };
    const { sentences, exitCode } = listNotices(watch, good, { remarked: Array.from({ length: 7 }, () => odd) });
    assert.equal(exitCode, 0);
    assert.equal(sentences.length, 6);
    assert.equal(
      sentences[0],
      'shop: batch 7 (10 URLs; reference R-7) was accepted, but: charged 2.00 TRY in place of 1.00 TRY.',
    );
    assert.match(String(sentences[5]), /^shop: 2 more batches with such a remark/);
  });

  test('a batch that needs review is named with its reason, tag, key and the command that resolves it', () => {
    const { sentences, exitCode } = listNotices(watch, good, { review: [needsReview] });
    assert.equal(exitCode, 3);
    assert.match(
      sentences.join(),
      /batch 7 \(10 URLs; tag sc0123, key sc1-0123\) needs review: the service answered 409\. .*batches show 7.*batches resolve 7/,
    );
  });
});

describe('a price that has changed', () => {
  const newPrice: NewPrice = {
    service: 'standard',
    before: micros(250_000),
    after: micros(500_000),
    since: 0,
    configured: null,
  };

  test('is said of a run that buys, and changes no exit code', () => {
    const { sentences, exitCode } = listNotices(watch, good, { newPrice });
    assert.ok(sentences.includes('shop: standard: 0.50 TRY a URL since 1970-01-01 00:00 UTC, 0.25 TRY before.'));
    assert.equal(exitCode, 0);
  });

  test('is not said of a run that buys nothing', () => {
    const { sentences } = listNotices(watch, { ...good, plan: { ...plan, batches: 0, urls: 0 } }, { newPrice });
    assert.ok(sentences.every((sentence) => !sentence.includes('a URL since')));
  });
});

describe('formatReview', () => {
  test('does not ask whether a batch was charged whose request was refused', () => {
    const sentence = formatReview({ ...needsReview, isUncharged: true, reason: 'refused; nothing was charged' });
    assert.match(sentence, /nothing was charged\. .*batches resolve 7" with --release/);
    assert.doesNotMatch(sentence, /whether it was charged|--charged/);
  });
});

describe('formatOverdue', () => {
  const job = {
    batch: 7 as BatchId,
    reference: 'R-7' as Reference,
    watch: 'shop' as WatchId,
    urls: 3,
    state: 'kapandı',
    acceptedAt: 0,
  };
  const account = { id: watch.account, terminalStates: ['completed', 'partial', 'failed'] };

  test('names the setting for a word that cannot be read', () => {
    assert.match(
      formatOverdue(job, 'UTC', account),
      /"kapandı" is no word.*accounts\.main\.status_map\.job.*polled again/,
    );
  });

  test('asks for nothing of the configuration where the word is known', () => {
    assert.doesNotMatch(formatOverdue({ ...job, state: 'processing' }, 'UTC', account), /status_map/);
  });
});
