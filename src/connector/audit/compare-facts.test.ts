import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Micros, micros } from '../../../contract/money.ts';
import type { BookedPurchase, PurchaseInDoubt } from '../../ledger/reports/audited-purchases.ts';
import type { AccountId, Reference, RunId, WatchId } from '../../submission/ids.ts';
import type { AuditEntry, Facts, ListedJob } from './audit.ts';
import { compareFacts } from './compare-facts.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const FROM = Date.UTC(2026, 0, 10);
const NOON = FROM + 12 * HOUR;
const lira = (amount: number): Micros => micros(Math.round(amount * 1_000_000));

/** Booked at noon for 1.00 TRY, as entry 10 + its number. */
const booked = (id: number, more: Partial<BookedPurchase> = {}): BookedPurchase => ({
  ...{ kind: 'batch', id, watch: 'shop' as WatchId, run: 'r1' as RunId, urls: 4, reference: `R-${id}` as Reference },
  ...{
    tag: null,
    amount: lira(1),
    bucket: 'charged',
    counted: lira(1),
    unpriced: 0,
    day: FROM,
    at: NOON,
    entry: 10 + id,
  },
  ...{ wasSent: true, wasLeft: false },
  ...more,
});

const doubt = (id: number, more: Partial<PurchaseInDoubt> = {}): PurchaseInDoubt => ({
  ...{ kind: 'batch', id, watch: 'shop' as WatchId, run: null, urls: 4, reference: null, tag: null, amount: lira(1) },
  since: NOON,
  ...more,
});

const job = (reference: string, more: Partial<ListedJob> = {}): ListedJob => ({
  ...{ reference: reference as Reference, state: 'completed', project: 'Shop [sc00000000000001]', createdAt: NOON },
  ...{ urlCount: 4, charged: lira(1), pricePerUrl: null },
  ...more,
});

/** Read at this hour of the day. */
const reading = (hour: number, amount: number, journalId: number) => ({
  ...{ since: FROM + hour * HOUR, at: FROM + hour * HOUR, amount: lira(amount), journalId },
});

const facts = (more: Partial<Facts> = {}): Facts => ({
  ...{ account: 'main' as AccountId, period: { from: FROM, until: FROM + DAY }, booked: [], inDoubt: [] },
  ...{
    list: { kind: 'read', jobs: [] },
    lookedUp: new Map(),
    foreign: new Set(),
    isOwnProject: (name) => name === 'Shop',
  },
  ...{ readings: [], balanceFailure: null },
  ...more,
});

const listed = (...jobs: readonly ListedJob[]): Pick<Facts, 'list'> => ({ list: { kind: 'read', jobs } });

/** Status, reason and difference in lira of each entry. */
const tell = (entries: readonly AuditEntry[]) =>
  entries.map(({ status, why, difference }) => [status, why, difference === null ? null : difference / 1_000_000]);

describe('an entry of an audit', () => {
  const OTHERS = { project: 'Newsletter' };
  for (const [what, given, entries, questions] of [
    ['the same on both sides', { booked: [booked(1)], ...listed(job('R-1')) }, [['same', null, 0]], 0],
    [
      'shown by the price of a URL',
      { booked: [booked(1)], ...listed(job('R-1', { charged: null, pricePerUrl: lira(0.25) })) },
      [['same', null, 0]],
      0,
    ],
    [
      'shown with the price of one URL as its charge',
      { booked: [booked(1)], ...listed(job('R-1', { charged: lira(0.25) })) },
      [['same', null, 0]],
      0,
    ],
    [
      'assumed, and shown by now',
      { booked: [booked(1, { bucket: 'assumed' })], ...listed(job('R-1', { charged: lira(1.2) })) },
      [['differs', 'assumed', 0.2]],
      0,
    ],
    [
      'charged, and given back in part',
      { booked: [booked(1)], ...listed(job('R-1', { charged: lira(0.75) })) },
      [['differs', 'refunded', -0.25]],
      0,
    ],
    [
      'charged more than the service said',
      { booked: [booked(1)], ...listed(job('R-1', { charged: lira(3) })) },
      [['differs', 'charged_more', 2]],
      1,
    ],
    ['in doubt, and not in the list', { inDoubt: [doubt(1)] }, [['only_here', 'in_doubt', null]], 0],
    [
      'in doubt, and found by its tag',
      { inDoubt: [doubt(1, { tag: 'sc00000000000001' })], ...listed(job('R-1')) },
      [['differs', 'in_doubt', 1]],
      0,
    ],
    [
      'left by an operator',
      { booked: [booked(1, { reference: null, bucket: 'assumed', wasLeft: true })] },
      [['only_here', 'left', null]],
      0,
    ],
    [
      'accepted, and unknown to the service',
      {
        booked: [booked(1)],
        ...listed(job('R-0', { createdAt: FROM, ...OTHERS })),
        lookedUp: new Map([['R-1', null]]),
      },
      [
        ['only_there', 'other_program', 1],
        ['only_here', 'not_listed', -1],
      ],
      1,
    ],
    [
      'older than the list',
      {
        booked: [booked(1)],
        ...listed(job('R-9', { createdAt: NOON + HOUR, ...OTHERS })),
        lookedUp: new Map([['R-1', null]]),
      },
      [
        ['not_compared', 'older_than_list', null],
        ['only_there', 'other_program', 1],
      ],
      0,
    ],
    [
      'missing in the list, and shown when asked for',
      { booked: [booked(1)], lookedUp: new Map([['R-1', job('R-1')]]) },
      [['same', null, 0]],
      0,
    ],
    ['missing, and not asked for', { booked: [booked(1)] }, [['not_compared', 'not_looked_up', null]], 0],
    [
      'beside a list that cannot be read',
      { booked: [booked(1)], list: { kind: 'not_read', why: 'down' } },
      [['not_compared', 'list_not_read', null]],
      0,
    ],
    [
      'listed without a charge',
      { booked: [booked(1)], ...listed(job('R-1', { charged: null })) },
      [['not_compared', 'no_charge_shown', null]],
      0,
    ],
    [
      'of a charge that nobody knows',
      {
        booked: [booked(1, { bucket: 'assumed', unpriced: 4, amount: lira(0) })],
        ...listed(job('R-1', { charged: null })),
      },
      [['not_compared', 'charge_unknown', null]],
      0,
    ],
    ['of another program', listed(job('X-1', OTHERS)), [['only_there', 'other_program', 1]], 0],
    ['of a lost ledger, by its tag', listed(job('X-1')), [['only_there', 'other_ledger', 1]], 1],
    [
      'of a lost ledger, by its project',
      listed(job('X-1', { project: 'Shop' })),
      [['only_there', 'other_ledger', 1]],
      1,
    ],
    [
      'declared foreign',
      { ...listed(job('X-1')), foreign: new Set(['X-1']) },
      [['only_there', 'declared_foreign', 1]],
      0,
    ],
    [
      'an index-check',
      { booked: [booked(1, { kind: 'check', reference: null, run: null })] },
      [['by_balance', null, null]],
      0,
    ],
    ['of another day', listed(job('X-1', { createdAt: FROM - 1 })), [], 0],
  ] as const satisfies readonly (readonly [string, object, readonly unknown[], number])[]) {
    test(what, () => {
      const audit = compareFacts(facts(given as Partial<Facts>));
      assert.deepEqual(tell(audit.entries), entries);
      assert.equal(audit.totals.questions, questions);
    });
  }

  test('counts on one day here and on another there: it is shown, and differs by nothing', () => {
    const late = booked(1, { day: FROM - DAY });
    const audit = compareFacts(facts({ booked: [late], ...listed(job('R-1')) }));
    assert.deepEqual([audit.entries[0]?.isOtherDay, audit.totals.journal, audit.totals.difference], [true, 0, 0]);
  });
});

describe('the totals of an audit', () => {
  test('add up: the journal and the difference are what the service has, explained or not', () => {
    const { totals } = compareFacts(
      facts({
        booked: [booked(1), booked(2), booked(3, { kind: 'check', reference: null, amount: lira(0.5) })],
        ...listed(
          job('R-1'),
          job('R-2', { charged: lira(1.5) }),
          job('X-1', { project: 'Newsletter', charged: lira(7) }),
        ),
      }),
    );
    const { journal, checks, service, difference, explained, notExplained } = totals;
    assert.deepEqual(
      [journal, checks, service, difference, explained, notExplained].map((amount) => amount / 1_000_000),
      [2.5, 0.5, 10, 7.5, 7, 0.5],
    );
  });

  test('count questions that cancel in the amount', () => {
    const { totals } = compareFacts(
      facts({
        booked: [booked(1), booked(2)],
        ...listed(job('R-1', { charged: lira(2) })),
        lookedUp: new Map([['R-2' as Reference, null]]),
        readings: [reading(1, 10, 0), reading(23, 8, 20)],
      }),
    );
    assert.deepEqual([totals.notExplained, totals.questions], [0, 2]);
  });
});

/** What is external in each window, in lira. */
const findExternal = (given: Partial<Facts>) =>
  compareFacts(facts(given)).windows.map(({ external }) => external / 1_000_000);

describe('the balance of an audit', () => {
  const readings = [reading(1, 10, 0), reading(13, 9, 11), reading(23, 9, 11)];
  for (const [what, given, external] of [
    ['falls by what was bought', { booked: [booked(1)], ...listed(job('R-1')), readings }, []],
    [
      'falls by what nobody knows',
      { booked: [booked(1)], ...listed(job('R-1')), readings: [...readings, reading(23.5, 6.5, 11)] },
      [2.5],
    ],
    ['rises: a refund or a top-up', { booked: [booked(1)], readings: [...readings, reading(23.5, 14, 11)] }, [-5]],
    [
      'falls by a job of another program that the list shows',
      {
        booked: [booked(1)],
        ...listed(job('R-1'), job('X-1', { project: 'Newsletter', createdAt: FROM + 20 * HOUR, charged: lira(2) })),
        readings: [reading(1, 10, 0), reading(13, 9, 11), reading(23, 7, 11)],
      },
      [],
    ],
    [
      'falls by a purchase between two readings of a host whose clock is hours ahead',
      { booked: [booked(1)], ...listed(job('R-1')), readings: [reading(20, 10, 0), reading(21, 9, 11)] },
      [],
    ],
    [
      'falls a little before that job, by a clock that is behind',
      {
        booked: [booked(1)],
        ...listed(
          job('R-1'),
          job('X-1', { project: 'Newsletter', createdAt: FROM + 13 * HOUR + 60_000, charged: lira(2) }),
        ),
        readings: [reading(1, 10, 0), reading(13, 7, 11), reading(23, 7, 11)],
      },
      [],
    ],
    [
      'falls by a job of another program, by a list that shows the time of another zone',
      {
        booked: [booked(1)],
        ...listed(
          job('R-1', { createdAt: NOON + 10 * HOUR }),
          job('X-1', { project: 'Newsletter', createdAt: FROM + 26 * HOUR, charged: lira(2) }),
        ),
        readings: [reading(1, 10, 0), reading(13, 9, 11), reading(17, 7, 11), reading(23, 7, 11)],
      },
      [],
    ],
    [
      'shows a job that was made before the first reading',
      {
        ...listed(job('X-1', { project: 'Newsletter', createdAt: FROM + HOUR - 60_000 })),
        readings: [reading(1, 10, 0), reading(13, 10, 0)],
      },
      [],
    ],
    [
      'falls by an index-check',
      {
        booked: [booked(1, { kind: 'check', reference: null, amount: lira(0.5) })],
        readings: [reading(1, 10, 0), reading(13, 9.5, 11)],
      },
      [],
    ],
    [
      'falls by more than an index-check, which was given back later',
      {
        booked: [booked(1, { kind: 'check', reference: null, amount: lira(0.5) })],
        readings: [reading(1, 10, 0), reading(13, 9.5, 11), reading(23, 10, 11)],
      },
      [-0.5],
    ],
    [
      'does not fall by what was only assumed',
      {
        booked: [booked(1, { bucket: 'assumed', reference: null, wasLeft: true })],
        readings: [reading(1, 10, 0), reading(13, 10, 11)],
      },
      [],
    ],
    [
      'falls by the charge of before a refund, and rises by it',
      {
        booked: [booked(1)],
        ...listed(job('R-1', { charged: lira(0.75) })),
        readings: [reading(1, 10, 0), reading(13, 9, 11), reading(23, 9.25, 11)],
      },
      [-0.25],
    ],
    [
      'falls by what the service shows, where it had said less',
      {
        booked: [booked(1)],
        ...listed(job('R-1', { charged: lira(3) })),
        readings: [reading(1, 10, 0), reading(13, 7, 11)],
      },
      [],
    ],
    [
      'falls before a recovered job was booked, when that was created',
      {
        booked: [booked(1, { wasSent: false, entry: 30, run: null })],
        ...listed(job('R-1')),
        readings: [reading(1, 10, 0), reading(13, 9, 5), reading(23, 9, 30)],
      },
      [],
    ],
    [
      'is shown to the kuruş, and was charged exactly',
      {
        booked: [booked(1, { amount: lira(0.123456) })],
        readings: [reading(1, 10, 0), reading(13, 9.88, 11)],
      },
      [],
    ],
    [
      'falls by less than a kuruş, and is shown exactly',
      { readings: [reading(1, 9.123, 0), reading(13, 9.121, 0)] },
      [0.002],
    ],
    [
      'falls before a copy of the ledger sent it again, when its job was created',
      {
        booked: [booked(1, { at: FROM + 20 * HOUR + 420_000, entry: 30 })],
        ...listed(job('R-1')),
        readings: [reading(1, 10, 0), reading(13, 9, 5), reading(23, 9, 30)],
      },
      [],
    ],
    [
      'falls two minutes before a copy of the ledger sent it again',
      {
        booked: [booked(1, { at: FROM + 12 * HOUR + 121_000, entry: 30 })],
        ...listed(job('R-1', { createdAt: FROM + 12 * HOUR })),
        readings: [reading(1, 10, 0), reading(12 + 120 / 3_600, 9, 5), reading(23, 9, 30)],
      },
      [],
    ],
    [
      'says nothing where a charge is not known',
      {
        booked: [booked(1, { bucket: 'assumed', unpriced: 4, amount: lira(0) })],
        readings: [reading(1, 10, 0), reading(13, 4, 11)],
      },
      [],
    ],
  ] as const satisfies readonly (readonly [string, Partial<Facts>, readonly number[]])[]) {
    test(what, () => assert.deepEqual(findExternal(given), external));
  }

  test('that does not fall by what was assumed says how much of that was not charged', () => {
    const { totals } = compareFacts(
      facts({
        booked: [booked(1, { bucket: 'assumed', reference: null, wasLeft: true })],
        readings: [reading(1, 10, 0), reading(13, 9.75, 11)],
      }),
    );
    assert.deepEqual([totals.notCharged, totals.externalReceived, totals.questions], [lira(0.75), 0, 0]);
  });

  test('that falls by what nobody knows is a question, and one that rises is none', () => {
    const { totals } = compareFacts(facts({ readings: [reading(1, 10, 0), reading(13, 8, 0), reading(23, 9, 0)] }));
    const { questions, externalSpent, externalReceived, notExplained } = totals;
    assert.deepEqual([questions, externalSpent, externalReceived, notExplained], [1, lira(2), lira(1), lira(2)]);
  });
});

describe('what an audit cannot know', () => {
  const codesOf = (given: Partial<Facts>) => compareFacts(facts(given)).unknowns.map(({ code }) => code);
  const whole = [reading(0, 10, 0), reading(24, 10, 0)];
  for (const [what, given, codes] of [
    ['nothing', { readings: whole }, []],
    ['without balances', {}, ['no_readings']],
    [
      'before the first and after the last',
      { readings: [reading(1, 1, 0), reading(2, 1, 0)] },
      ['before_first_reading', 'after_last_reading'],
    ],
    ['the balance of now', { readings: whole, balanceFailure: 'down' }, ['balance_not_read']],
    ['without the list', { readings: whole, list: { kind: 'not_read', why: 'down' } }, ['list_not_read']],
    [
      'index-checks in the list',
      { readings: [reading(0, 10, 0), reading(24, 9, 11)], booked: [booked(1, { kind: 'check', reference: null })] },
      ['checks_in_no_list'],
    ],
    [
      'what a service shows neither a charge nor a time of',
      { readings: whole, ...listed(job('X-1', { project: 'N', charged: null, createdAt: null })) },
      ['charges_not_shown', 'times_not_shown'],
    ],
    ['what is in doubt', { readings: whole, inDoubt: [doubt(1)] }, ['in_doubt']],
    [
      'what is older than the list',
      {
        readings: [reading(0, 10, 0), reading(24, 9, 11)],
        booked: [booked(1)],
        ...listed(job('R-2', { createdAt: FROM + 2 * DAY })),
        lookedUp: new Map([['R-1' as Reference, null]]),
      },
      ['list_ends_early'],
    ],
    [
      'where a charge is not known',
      { readings: whole, ...listed(job('X-1', { project: 'N', charged: null })) },
      ['charges_not_shown', 'balance_not_compared'],
    ],
  ] as const satisfies readonly (readonly [string, Partial<Facts>, readonly string[]])[]) {
    test(what, () => assert.deepEqual(codesOf(given), codes));
  }
});
