import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { micros } from '../../contract/money.ts';
import type { AccountId, Reference } from './ids.ts';
import {
  isAccountHold,
  isMoneyReason,
  isSameReason,
  parseReason,
  type Reason,
  renderReason,
  renderStoredReason,
  toStoredReason,
  WAITS_FOR_MONEY,
} from './reason.ts';

const cap = {
  code: 'cap_reached',
  scope: 'watch',
  period: 'run',
  limit: micros(1_000_000),
  left: micros(500_000),
  cost: micros(2_000_000),
} as const;

const SENTENCES: readonly (readonly [Reason, string])[] = [
  [{ code: 'baseline' }, 'baseline'],
  [{ code: 'run_rejected', by: 'ops' }, 'rejected by ops'],
  [
    { code: 'room_for_some', limit: cap, allowed: 2, wanted: 8 },
    'the cap watch per run of 1.00 TRY leaves 0.50 TRY, which allows 2 of 8 URLs; the others stay due',
  ],
  [{ code: 'lastmod_not_resubmitted' }, 'its lastmod changed; the watch does not resubmit'],
  [{ code: 'lastmod_bought' }, 'its lastmod is not later than the one that was bought'],
  [
    { code: 'changed_before_job' },
    'it changed before a job was created that "courier recover" took in: that job counts as the purchase',
  ],
  [{ code: 'bought_by_other_watch' }, 'bought by another watch of the account'],
  [{ code: 'planned_by_other_watch' }, 'planned by another watch of the account'],
  [{ code: 'reported', text: 'blocked' }, 'blocked'],
  [{ code: 'unanswered', text: 'HTTP 503', at: 0 }, 'HTTP 503'],
  [{ code: 'failed_too_often', failures: 1, text: null }, 'failed once'],
  [{ code: 'failed_too_often', failures: 3, text: 'HTTP 404' }, 'failed 3 times in a row: HTTP 404'],
  [{ code: 'released' }, 'released by an operator'],
  [{ code: 'left_in_review' }, 'its batch needed review; an operator left it as it is'],
  [{ code: 'no_result', jobState: 'partial' }, 'its job ended partial without a result for it'],
  [{ code: 'job_resolved', how: 'leave' }, 'an operator ended its job: leave'],
  [{ code: 'check_of_other_account', inDoubt: false }, 'its watch belongs to another account now'],
  [
    { code: 'check_of_other_account', inDoubt: true },
    'its watch moved to another account before its answer came; it counts as charged there',
  ],
  [
    { code: 'check_outdated' },
    'it was planned long ago and never sent; nothing was charged, and its URLs are due again',
  ],
  [
    { code: 'other_address', recorded: 'https://a.example', configured: 'https://b.example' },
    'it was planned for https://a.example, where nothing was ever bought, and the account now names https://b.example',
  ],
  [{ code: 'check_key_expired' }, 'no answer came for as long as its key is trusted; it counts as charged'],
  [{ code: 'max_new', urls: 6_200, limit: 5_000 }, '6,200 new URLs, more than max_new allows (5,000)'],
  [
    {
      code: 'history_hold',
      account: 'main' as AccountId,
      hold: { code: 'unknown_jobs', references: ['QS-1' as Reference], more: true },
    },
    'the service has jobs of ours that this ledger does not know (QS-1 and more): it is a restored copy or a new ' +
      'ledger, and what it would buy may be bought already. Nothing is sent. Run "courier recover --account main"; ' +
      "add --accept where the jobs are not this ledger's",
  ],
  [
    { code: 'history_hold', account: 'main' as AccountId, hold: { code: 'list_unread', why: 'HTTP 500' } },
    'the list of jobs cannot be read (HTTP 500), so nothing shows whether this ledger has all that was bought: a restored copy ' +
      'would buy again what it lacks. Nothing is sent until the list can be read; then it continues by itself. To go on ' +
      'without the list, set accounts.main.reconcile.list to optional',
  ],
  [
    {
      code: 'requests_refused',
      account: 'main' as AccountId,
      status: 404,
      batches: 3,
      text: 'status 404.',
      until: Date.UTC(2026, 0, 15, 12),
    },
    'the service refused 3 batches in a row with status 404 and accepted none (status 404). Nothing was charged, and the ' +
      'URLs are not the cause: there is no such address at the service, so base_url is probably wrong. Correct it, then ' +
      'run "courier accounts move main". One batch is tried at 2026-01-15T12:00:00.000Z, and all are sent once it is ' +
      'accepted. "courier accounts resume main" sends all at once; with --release their URLs are due again, for the ' +
      'settings of the next run',
  ],
  [
    { code: 'refused_with_others', status: 400 },
    'refused with status 400, as every batch of the account; nothing was charged. It is sent again when the account sends again',
  ],
  [
    { code: 'quarantined_by_other_watch' },
    'in quarantine under another watch of the account: released there, it is bought there',
  ],
  [
    { code: 'failed_without_watch', failures: 2, failedAt: 0, text: 'HTTP 404' },
    'failed 2 times in a row: HTTP 404; the watch that lists it decides whether it is bought again',
  ],
  [{ code: 'check_body_damaged' }, 'its stored bytes are not those that its key was made for: nothing was sent'],
];

const spend = { left: micros(250_000), cost: micros(750_000) };
const count = { urls: 7_000, limit: 5_000 };
const percent = { urls: 80, known: 100, limit: 50 };

/** One of each code: the compiler names a missing one. */
const EVERY: { readonly [Code in Reason['code']]: object } = {
  cap_reached: cap,
  balance_short: spend,
  floor_short: { ...spend, floor: micros(9_000_000) },
  balance_negative: { balance: micros(-3_000_000), cost: spend.cost },
  balance_unknown: { floor: micros(9_000_000) },
  price_unknown: { limit: micros(9_000_000) },
  beyond_decision: { urls: 8, limit: micros(2_000_000), cost: spend.cost },
  baseline: {},
  run_rejected: { by: 'ops' },
  room_for_some: { limit: cap, allowed: 2, wanted: 8 },
  lastmod_not_resubmitted: {},
  lastmod_bought: {},
  changed_before_job: {},
  bought_by_other_watch: {},
  planned_by_other_watch: {},
  quarantined_by_other_watch: {},
  spelling_unsure: {},
  reported: { text: 'the words of the service' },
  unanswered: { text: 'HTTP 503', at: 0 },
  failed_too_often: { failures: 3, text: 'HTTP 404' },
  failed_without_watch: { failures: 3, failedAt: 0, text: 'HTTP 404' },
  released: {},
  left_in_review: {},
  no_result: { jobState: 'partial' },
  job_resolved: { how: 'leave' },
  check_of_other_account: { inDoubt: true },
  check_key_expired: {},
  other_address: { recorded: 'https://a.example', configured: 'https://b.example' },
  check_outdated: {},
  check_body_damaged: {},
  max_new: count,
  max_new_percent: percent,
  max_changed: count,
  max_changed_percent: percent,
  max_gone_percent: percent,
  answer: { outcome: 'retry', text: 'what an answer meant' },
  insufficient_balance: { text: 'what a 402 said' },
  warnings: { warnings: ['the first warning', 'the second warning'] },
  reference_changed: { recorded: 'QS-1', seen: 'QS-2' },
  reference_taken: { reference: 'QS-1', batch: 12 },
  same_purchase: { batch: 12 },
  accepted_after_refusal: { reference: 'QS-1' },
  parent_accepted: { batch: 12 },
  parts_rejected: { text: 'status 422' },
  body_damaged: {},
  lookup_absent: {},
  lookup_contradiction: { before: { code: 'run_rejected', by: 'ops' } },
  lookup_postponed: { text: 'HTTP 500', refused: 'too little' },
  lookup_refused: { text: 'HTTP 501' },
  lookup_unsure: { text: 'what the list lacks' },
  other_service: { account: 'main' as AccountId, recorded: 'https://one.example', configured: 'https://two.example' },
  other_account: { account: 'main' as AccountId, recorded: 'id=7', shown: 'id=8' },
  watch_removed: {},
  watch_moved: { account: 'second' as AccountId },
  cancelled: { by: 'ops' },
  dissolved: { why: { code: 'watch_removed' } },
  resolved: { how: 'release', before: { code: 'released' } },
  recovered: {},
  imported: {},
  bought_in_job: { reference: 'QS-1' },
  history_hold: { account: 'main' as AccountId, hold: { code: 'list_unread', why: 'HTTP 503' } },
  requests_refused: { account: 'main' as AccountId, status: 404, batches: 3, text: 'HTTP 404', until: 0 },
  refused_with_others: { status: 400 },
  state_unknown: { state: 'pondering' },
  state_reversed: { recorded: 'completed', seen: 'failed' },
};

describe('the sentence of a reason', () => {
  for (const [code, params] of Object.entries(EVERY)) {
    test(`${code} is its own, and names what it is given`, () => {
      const sentence = renderReason({ code, ...params } as Reason);
      const others = Object.entries(EVERY).filter(([other]) => other !== code);
      assert.ok(others.every(([other, its]) => renderReason({ code: other, ...its } as Reason) !== sentence));
      const given = Object.entries(params).filter(([name]) => name !== 'outcome' && name !== 'code');
      for (const [, value] of given) {
        if (typeof value === 'string') assert.ok(sentence.includes(value), `"${sentence}" does not name ${value}`);
      }
      assert.doesNotMatch(sentence, /undefined|null|\[object/);
    });
  }
});

describe('a reason that', () => {
  const codesWith = (is: (code: string) => boolean) => Object.keys(EVERY).filter(is).toSorted();

  test('only money or a balance ends is one of the balance', () => {
    const codes = ['balance_negative', 'balance_short', 'balance_unknown', 'floor_short'];
    assert.deepEqual(codesWith(isMoneyReason), codes);
    assert.equal(isMoneyReason(null), false);
    assert.deepEqual([...WAITS_FOR_MONEY].toSorted(), [...codes, 'insufficient_balance'].toSorted());
  });

  test('holds a whole account is a hold, another service or a stop', () => {
    const holds = codesWith((code) => isAccountHold({ code } as Reason));
    assert.deepEqual(holds, ['history_hold', 'other_account', 'other_service', 'requests_refused']);
  });
});

describe('a stored reason', () => {
  for (const [reason, sentence] of SENTENCES) {
    test(`${reason.code} is read back as it was stored, and says "${sentence}"`, () => {
      const stored = toStoredReason(reason);
      assert.equal(stored.reason_code, reason.code);
      assert.deepEqual(parseReason(stored), reason);
      assert.equal(renderStoredReason(stored), sentence);
    });
  }

  test('without parameters is a code alone', () => {
    assert.deepEqual(toStoredReason({ code: 'baseline' }), { reason_code: 'baseline', reason_params: null });
    assert.deepEqual(toStoredReason(null), { reason_code: null, reason_params: null });
  });

  test('is the same only with the same parameters', () => {
    const [two, three] = [2, 3].map((failures) =>
      toStoredReason({ code: 'failed_too_often', failures, text: null }),
    ) as [ReturnType<typeof toStoredReason>, ReturnType<typeof toStoredReason>];
    assert.equal(isSameReason(two, { ...two }), true);
    assert.equal(isSameReason(two, three), false);
  });
});
