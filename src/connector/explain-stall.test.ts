import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { micros } from '../../contract/money.ts';
import type { AccountId, Reference } from '../submission/ids.ts';
import type { Reason } from '../submission/reason.ts';
import { DISPATCH_PHASE } from '../temporal-api/phases.ts';
import { explainStall, type StallFacts } from './explain-stall.ts';

const noMoney: Reason = { code: 'balance_short', left: micros(0), cost: micros(250_000) };
const unknownBalance: Reason = { code: 'balance_unknown', floor: micros(10_000_000) };
const reset: Reason = { code: 'answer', outcome: 'in_doubt', text: 'no answer came (read ECONNRESET)' };
const unknownJobs: Reason = {
  code: 'history_hold',
  account: 'main' as AccountId,
  hold: { code: 'unknown_jobs', references: ['job-7' as Reference], more: false },
};
const unread: Reason = {
  code: 'history_hold',
  account: 'main' as AccountId,
  hold: { code: 'list_unread', why: 'HTTP 500' },
};
const otherService: Reason = {
  code: 'other_service',
  account: 'main' as AccountId,
  recorded: 'https://a.example',
  configured: 'https://b.example',
};

const refused: Reason = {
  code: 'requests_refused',
  account: 'main' as AccountId,
  status: 404,
  batches: 3,
  text: 'status 404',
  until: 0,
};

const facts: StallFacts = {
  watch: 'shop',
  dispatcher: DISPATCH_PHASE.suspended,
  account: null,
  needsList: true,
  keyRejected: null,
  own: null,
  balance: '',
  answer: null,
};

const cases: readonly (readonly [string, Partial<StallFacts>, string | null, RegExp])[] = [
  ['a batch without money', { own: noMoney }, 'funds', /^shop: insufficient funds: .*0\.25 TRY is needed/],
  ['a 402 without a reason', { answer: 'no-money' }, 'funds', /^shop: insufficient funds\. Planned/],
  [
    'unknown jobs of the service',
    { account: unknownJobs, own: noMoney },
    'held',
    /^shop: the account is held: the service has jobs of ours .*job-7.*"courier recover --account main"/,
  ],
  ['unknown jobs, when the dispatcher says nothing', { account: unknownJobs, dispatcher: null }, 'held', /is held/],
  ['a list that cannot be read', { account: unread }, 'held', /is held: the list of jobs cannot be read/],
  ['the same, since the list is optional', { account: unread, own: unread, needsList: false }, null, /^$/],
  ['unknown jobs, though the list is optional', { account: unknownJobs, needsList: false }, 'held', /job-7/],
  [
    'a service that refuses every batch',
    { account: refused, dispatcher: null },
    'held',
    /is held: the service refused 3 batches/,
  ],
  ['another service', { own: otherService }, 'held', /the account is held: .*a\.example/],
  [
    "another watch's want of money beside a broken connection",
    { account: noMoney, own: reset },
    'funds',
    /the account waits for money, so nothing of it is sent: .*0\.25 TRY is needed.* for another reason as well: no answer came \(read ECONNRESET\)\. Planned/,
  ],
  [
    'a rejected key',
    { dispatcher: DISPATCH_PHASE.keyRejected, answer: 'key_rejected' },
    'key_rejected',
    /rejects the API key/,
  ],
  [
    'a key that was rejected before the first batch was sent',
    {
      dispatcher: DISPATCH_PHASE.keyRejected,
      keyRejected: { code: 'answer', outcome: 'reject_key', text: 'HTTP 401' },
    },
    'key_rejected',
    /rejects the API key: .*HTTP 401/,
  ],
  [
    'a key that works again',
    { dispatcher: DISPATCH_PHASE.sending, keyRejected: { code: 'answer', outcome: 'reject_key', text: 'HTTP 401' } },
    null,
    /^$/,
  ],
  ['a broken connection alone', { own: reset }, null, /^$/],
  ['a balance that cannot be read', { account: unknownBalance, own: unknownBalance }, null, /^$/],
  ['a dispatcher that sends', { own: noMoney, dispatcher: DISPATCH_PHASE.sending }, null, /^$/],
];

describe('explainStall', () => {
  for (const [what, given, failure, sentence] of cases) {
    test(`${what}: ${failure ?? 'the command continues to wait'}`, () => {
      const error = explainStall({ ...facts, ...given });
      assert.equal(error?.failure ?? null, failure);
      assert.match(error?.message ?? '', sentence);
    });
  }

  test('a reason other than funds is never reported as insufficient funds', () => {
    for (const own of [reset, unknownJobs, otherService])
      assert.doesNotMatch(explainStall({ ...facts, own })?.message ?? '', /insufficient funds/);
  });
});
