/**
 * A service that answers nonsense never makes the connector spend: activities over the real ledger, one row a kind of
 * nonsense. Whatever comes back, a batch keeps its one key and its bytes, its URLs are in no other batch, and a person
 * reads what was seen.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BatchState } from '../../src/ledger/batches/batch-row.ts';
import { getAccountStatus } from '../../src/ledger/money/funds.ts';
import { type BatchLine, listBatches } from '../../src/ledger/reports/lists.ts';
import { getAccountTotals } from '../../src/ledger/reports/totals.ts';
import type { AccountId } from '../../src/submission/ids.ts';
import { failure, type Nonsense, type Reply, startNonsenseService, success } from '../fakes/nonsense-service.ts';
import { createTestConnector } from '../support/test-connector.ts';

const ACCOUNT = 'main' as AccountId;
const PRICE = 250_000;
const FOLLOW =
  'price_per_url: 0.25 TRY, tracking: { standard: { first: 1m, min: 1m, max: 10m, growth: 2, timeout: 1d } }';
const WATCH = 'retry_failed: { times: 3, after: 1h }, index_check: { after: 1ms, every: 1d }';
const PAGES = ['1', '2'];

async function played(t: Pick<TestContext, 'after'>, nonsense: Nonsense, { steps = 60, nights = 1 } = {}) {
  const service = await startNonsenseService(t, nonsense);
  const connector = await createTestConnector(t, { baseUrl: service.baseUrl, account: FOLLOW, watch: WATCH });
  const said: string[] = [];
  for (let night = 1; night <= nights; night++) {
    await connector.plan(
      `night-${night}`,
      PAGES.map((page) => `${night}/${page}`),
    );
    said.push(...(await connector.play({ steps })).said);
  }
  const batches = (await listBatches(connector.ledger)).toReversed();
  const story = [...said, ...batches.flatMap(({ reason }) => reason ?? [])].join('\n');
  spentOnce([...service.bodies.values()]);
  return { service, connector, said, batches, story, totals: await getAccountTotals(connector.ledger, ACCOUNT) };
}

/** Every key has one body, and no URL is in two. */
function spentOnce(bodies: readonly (readonly string[])[]): void {
  const seen = new Set<string>();
  for (const sent of bodies) {
    assert.equal(new Set(sent).size, 1, 'a key with two bodies');
    for (const url of (JSON.parse(sent[0]!) as { urls: string[] }).urls) {
      assert.ok(!seen.has(url), `${url} was sent under two keys`);
      seen.add(url);
    }
  }
}

const html: Reply = {
  status: 200,
  text: '<!doctype html><title>Welcome</title>',
  headers: { 'content-type': 'text/html' },
};
const json = (text: string, status = 202): Reply => ({ status, text });
const always = (reply: Reply) => () => reply;

interface Row {
  readonly what: string;
  readonly post: Reply;
  readonly state: BatchState;
  /** What a person reads. */
  readonly tells: RegExp;
}

/** Answers to POST /submissions that come every time. */
const rows: readonly Row[] = [
  ...(
    [
      [
        'no data',
        success(null, 202),
        /again a success that cannot be used \(status 202 with a success without data\)|without a reference/,
      ],
      ['data that is a list', success([1, 2], 202), /without a reference/],
      ['data that is a text', success('queued', 202), /without a reference/],
      ['a reference that is an object', success({ reference: { id: 1 } }, 202), /without a reference/],
      ['a reference that is true', success({ reference: true }, 202), /without a reference/],
      ['an empty reference', success({ reference: ' ' }, 202), /without a reference/],
      ['a reference that is a path upwards', success({ reference: '..' }, 202), /without a reference/],
      ['a reference with a line break', success({ reference: 'R\n1' }, 202), /without a reference/],
      [
        'success and an error in one',
        success({ reference: 'R-1' }, 202, { error: { code: 'X' } }),
        /contradicts itself/,
      ],
      ['success: true, status: error', success({ reference: 'R-1' }, 202, { status: 'error' }), /contradicts itself/],
      ['success as a text', json('{"success":"yes","data":{"reference":"R-1"}}'), /JSON that is not an envelope/],
      ['409 and nothing else', failure(409, 'CONFLICT'), /the service reports a conflict, "CONFLICT: CONFLICT"/],
    ] as const
  ).map(([what, post, tells]): Row => ({ what, post, tells, state: 'needs_review' })),
  ...(
    [
      ['a page', html, /status 200 with a page instead of JSON: whether it was charged is not known/],
      ['nothing', json(''), /status 202 with an empty body/],
      [
        '204',
        (response: Parameters<Extract<Reply, (...given: never) => void>>[0]) => void response.writeHead(204).end(),
        /status 204/,
      ],
      ['a number', json('7'), /JSON that is not an envelope/],
      ['NaN', json('{"success":true,"data":{"reference":"R-1","charged":NaN}}'), /malformed/],
      ['half an envelope', json('{"success":true,"data":{"refer'), /cut off or malformed/],
      [
        'an error with 202',
        failure(202, 'FAILED'),
        /status 202, "FAILED: FAILED", request q-2: whether it was charged/,
      ],
      ['a success with 500', success({ reference: 'R-1' }, 500), /status 500 with a success that cannot be used/],
      ['a success with 402', success({ reference: 'R-1' }, 402), /status 402 with a success that cannot be used/],
      [
        'a redirect',
        { status: 302, text: '', headers: { location: 'http://127.0.0.1:9/' } },
        /a redirect to http:\/\/127.0.0.1:9\/, which is not followed/,
      ],
      ['418', failure(418, 'TEAPOT'), /status 418, "TEAPOT: TEAPOT"/],
      ['deep JSON', json(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), /JSON that is not an envelope/],
    ] as [string, Reply, RegExp][]
  ).map(([what, post, tells]): Row => ({ what, post, tells, state: 'sending' })),
];

for (const { what, post, state, tells } of rows) {
  test(`POST answered with ${what}, always: one key, and the batch is ${state} with a sentence`, async (t) => {
    const { batches, story, service, totals } = await played(t, { post: always(post) });
    assert.equal(service.bodies.size, 1);
    assert.deepEqual([batches.length, batches[0]!.state], [1, state], story);
    assert.match(batches[0]!.reason ?? '', tells);
    assert.equal(totals.chargedEver, 0);
  });
}

/** Acceptances with nonsense around their reference: taken once, at the expected cost. */
for (const [what, data, tells] of [
  ['a charge below zero', { charged: -5 }, /the charge is below zero \(-5.00 TRY\)/],
  ['a charge that is no number', { charged: 'NaN' }, null],
  ['a charge that is a list', { charged: [5] }, null],
  ['a charge beyond belief', { charged: 9e9 }, /9000000000.00 TRY, which is not believed/],
  ['a charge beyond numbers', { charged: 1e300, price_per_url: 1e300 }, null],
  ['a price that cannot be multiplied', { price_per_url: 9e9 }, /which is not believed/],
  ['a charge in dollars', { charged: { amount: 5, currency: 'USD' } }, null],
  ['more URLs than were sent', { url_count: 999_999 }, /2 URLs were sent and the service counts 999999/],
  ['fewer URLs than were sent', { url_count: 0 }, /2 URLs were sent and the service counts 0/],
  ['an end at once', { status: 'failed' }, /takes the batch and calls it failed at once/],
  ['a state that is a list', { status: ['done'] }, null],
  ['a balance below zero', { balance: -3 }, null],
] as const) {
  test(`accepted with ${what}: charged once, as expected`, async (t) => {
    const nonsense = { post: always(success({ reference: 'R-1', ...data }, 202)) };
    const { batches, totals, service } = await played(t, nonsense);
    const [batch] = batches as [BatchLine];
    assert.deepEqual([batches.length, batch.state, batch.jobState], [1, 'accepted', 'completed']);
    assert.equal(service.counts.post, 1);
    assert.equal(totals.chargedEver, 2 * PRICE);
    if (tells !== null) assert.match(batch.reason ?? '', tells);
  });
}

test('a charge ten times the expected is recorded and told', async (t) => {
  const { batches, totals } = await played(t, { post: always(success({ reference: 'R-1', charged: 5 }, 202)) });
  assert.match(batches[0]!.reason!, /5.00 TRY was charged where 0.50 TRY was expected/);
  assert.equal(totals.chargedEver, 5_000_000);
});

test('one reference for two keys: the second batch stops and names the first', async (t) => {
  const { batches, service } = await played(t, { post: always(success({ reference: 'R-1' }, 202)) }, { nights: 2 });
  assert.deepEqual(
    batches.map(({ state }) => state),
    ['accepted', 'needs_review'],
  );
  assert.match(batches[1]!.reason!, /calls this batch R-1, as it called batch 1/);
  assert.equal(service.counts.post, 2);
});

const states = (...seen: readonly unknown[]) => ({
  detail: (n: number, reference: string): Reply => success({ reference, status: seen[Math.min(n, seen.length) - 1] }),
});

/** Looks at a job that was accepted. */
for (const [what, nonsense, state, tells] of [
  ['a state that is a number', states(7), '7', /calls the job "7", a word that is not known/],
  ['a state that is a list', states([]), 'queued', /R-1 is still queued after the account's patience/],
  ['no state', states(null), 'queued', /still queued after the account's patience/],
  ['a word nobody knows, then the end', states('baking', 'baking', 'completed'), 'completed', null],
  ['a word nobody knows, for ever', states('baking'), 'baking', /still baking after.*calls the job "baking"/s],
  ['processing, then queued again', states('processing', 'queued', 'completed'), 'completed', null],
  [
    'processing and queued in turns',
    states('processing', ...Array.from({ length: 90 }, (_, n) => (n % 2 ? 'processing' : 'queued'))),
    'processing',
    /now calls the job queued after it was processing/,
  ],
  [
    'another job',
    { detail: always(success({ reference: 'R-9', status: 'completed' })) },
    'queued',
    /about R-9, when R-1 was asked for.*still queued after/s,
  ],
  ['a page', { detail: always(html) }, 'queued', /status 200 with a page instead of JSON.*still queued/s],
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
  test(`a job looked at shows ${what}: nothing is bought again`, async (t) => {
    const long = what === '20 MB' ? 5 : 250;
    const { batches, story, service, connector } = await played(t, nonsense, { steps: long });
    assert.deepEqual([batches.length, batches[0]!.state, batches[0]!.jobState], [1, 'accepted', state], story);
    assert.equal(service.bodies.size, 1);
    if (tells !== null) assert.match(story, tells);
    connector.pass(30 * 86_400_000);
    await connector.plan(
      'later',
      PAGES.map((page) => `1/${page}`),
    );
    assert.equal((await listBatches(connector.ledger)).length, 1, 'nothing of it is due again');
  });
}

test('an end that is taken back changes nothing: the results stay, and nothing is bought on account of it', async (t) => {
  const { connector, batches } = await played(t, states('completed', 'processing', 'failed'));
  assert.deepEqual([batches[0]!.jobState, batches[0]!.completed], ['completed', 2]);
  connector.pass(30 * 86_400_000);
  await connector.plan(
    'later',
    PAGES.map((page) => `1/${page}`),
  );
  assert.equal((await listBatches(connector.ledger)).length, 1);
});

/** Results of single URLs of a job that ended partial. */
for (const [what, urls, failed] of [
  ['of URLs that are not ours', [{ url: 'https://elsewhere.example/', status: 'failed' }], 0],
  [
    'of more URLs than there are',
    Array.from({ length: 400 }, (_, n) => ({ url: `https://x.example/${n}`, status: 'failed' })),
    0,
  ],
  ['in words that nobody knows', PAGES.map((page) => ({ url: `https://shop.example/1/${page}`, status: 'kaputt' })), 0],
  [
    'twice, the second time otherwise',
    ['completed', 'failed'].map((status) => ({ url: 'https://shop.example/1/1', status })),
    1,
  ],
  ['as numbers', [1, 2, 3], 0],
  ['as nothing', null, 0],
] as const) {
  test(`a partial job with results ${what}: only what it surely said of ours counts as failed`, async (t) => {
    const detail = (_: number, reference: string) => success({ reference, status: 'partial', urls, total: 2 });
    const { batches } = await played(t, { detail });
    assert.deepEqual([batches[0]!.jobState, batches[0]!.failed], ['partial', failed]);
  });
}

test('402 although the balance suffices: tried more and more rarely, never in a loop', async (t) => {
  const { service, connector, batches } = await played(t, { post: always(failure(402, 'NO_MONEY')) }, { steps: 200 });
  const hours = (connector.now() - batches[0]!.plannedAt) / 3_600_000;
  assert.ok(service.counts.post <= 4 * hours + 10, `${service.counts.post} requests in ${hours.toFixed(1)} hours`);
  assert.equal(service.bodies.size, 1);
});

for (const [what, balance, tells] of [
  ['below zero', success({ balance: -5 }), /below zero \(-5.00 TRY\)|balance -5.00 TRY/],
  ['a text', success({ balance: 'plenty' }), /without a balance that can be read/],
  ['NaN', json('{"success":true,"data":{"balance":NaN}}', 200), /malformed/],
  ['infinite', success({ balance: '1e999' }), /without a balance that can be read/],
  ['in euros', success({ balance: 500, currency: 'EUR' }), /whose balance is in EUR, not in TRY/],
  ['a page', html, /a page instead of JSON/],
] as const) {
  test(`parked, and the balance is ${what}: nothing is sent until it makes sense`, async (t) => {
    let sane = false;
    const nonsense: Nonsense = {
      post: (_, key) => (sane ? success({ reference: `R-${key.length}` }, 202) : failure(402, 'NO_MONEY')),
      balance: () => (sane ? success({ balance: 50 }) : balance),
    };
    const service = await startNonsenseService(t, nonsense);
    const connector = await createTestConnector(t, { baseUrl: service.baseUrl, account: FOLLOW, watch: WATCH });
    await connector.plan('night', PAGES);
    const { said } = await connector.play({ steps: 40 });
    assert.equal(service.counts.post, 1, 'the balance did not suffice');
    assert.match(said.join('\n'), tells);
    sane = true;
    await connector.play();
    assert.equal((await listBatches(connector.ledger))[0]!.state, 'accepted');
  });
}

for (const wait of ['soon', '-5', 'NaN', '99999999999999999999', '1e9', 'Wed, 21 Oct 1015 07:28:00 GMT', '']) {
  test(`429 with Retry-After "${wait}": waits for a time that makes sense, then goes on`, async (t) => {
    const post = (n: number, key: string): Reply =>
      n <= 3 ? failure(429, 'SLOW', { 'retry-after': wait }) : success({ reference: `R-${key.length}` }, 202);
    const { connector, batches, service } = await played(t, { post });
    assert.equal(batches[0]!.state, 'accepted');
    const took = connector.now() - batches[0]!.plannedAt;
    assert.ok(took >= 3_000 && took < 4 * 86_400_000, `${took} ms`);
    assert.equal(service.counts.post, 4);
  });
}

test('a key that is refused while jobs are followed: told, and everything goes on when it works again', async (t) => {
  let works = true;
  const refused = failure(401, 'REVOKED');
  const nonsense: Nonsense = {
    post: (_, key) => (works ? success({ reference: `R-${key.slice(-6)}` }, 202) : refused),
    detail: (_, reference) => (works ? success({ reference, status: 'processing' }) : refused),
    me: () => (works ? success({ name: 'Shop' }) : refused),
    list: () => (works ? success({ submissions: [], total: 0 }) : refused),
  };
  const service = await startNonsenseService(t, nonsense);
  const connector = await createTestConnector(t, { baseUrl: service.baseUrl, account: FOLLOW, watch: WATCH });
  await connector.plan('night-1', PAGES);
  await connector.play({ steps: 6 });
  works = false;
  await connector.plan('night-2', [...PAGES, '3']);
  const before = service.counts.detail;
  const { said } = await connector.play({ steps: 30 });
  assert.match(
    said.join('\n'),
    /key_rejected: the API key was refused, "REVOKED: REVOKED", request q-2; nothing was charged/,
  );
  assert.match(
    (await getAccountStatus(connector.ledger, ACCOUNT)).keyRejected ?? '',
    /correct the key or ask the service/,
  );
  assert.ok(service.counts.detail - before < 30, 'the refused key is not tried in a loop');
  works = true;
  const { said: after } = await connector.play({ steps: 200 });
  assert.equal((await getAccountStatus(connector.ledger, ACCOUNT)).keyRejected, null);
  const batches = await listBatches(connector.ledger);
  assert.deepEqual(
    batches.map(({ state }) => state),
    ['accepted', 'accepted'],
    after.join('\n'),
  );
  spentOnce([...service.bodies.values()]);
});

/** The list, when a lost batch is looked up in it. */
for (const [what, list, tells] of [
  ['a page', always(html), null],
  ['no list', always(success({ hello: 1 })), null],
  ['jobs without references', always(success({ submissions: [{ status: 'queued' }] })), null],
  [
    'ever new jobs',
    (n: number) =>
      success({ submissions: Array.from({ length: 100 }, (_, at) => ({ reference: `X-${n}-${at}` })), has_more: true }),
    /shows more than 2,000 jobs|jobs of the list may be the batch/,
  ],
  [
    'one job a hundred times',
    always(success({ submissions: Array.from({ length: 100 }, () => ({ reference: 'X' })), has_more: true })),
    /may be the batch/,
  ],
] as const) {
  test(`a lost batch is looked up and the list shows ${what}: nothing is sent again`, async (t) => {
    const nonsense: Nonsense = {
      post: (n) => (n === 1 ? success(null, 202) : success({ status: 'thanks' }, 202)),
      list,
      detail: always(success({ status: 'queued' })),
    };
    const { service, batches, story } = await played(t, nonsense, { steps: 40 });
    assert.equal(service.counts.post, 2, story);
    assert.ok(batches[0]!.state === 'needs_review' || batches[0]!.inDoubtSince !== null, story);
    if (tells !== null) assert.match(batches[0]!.reason!, tells);
  });
}

/** Index-checks. */
for (const [what, check, kind] of [
  [
    'more results than questions',
    always(
      success({ results: Array.from({ length: 90 }, (_, n) => ({ url: `https://x.example/${n}`, found: true })) }),
    ),
    'checked',
  ],
  ['results that are numbers', always(success({ results: [1, 2] })), 'checked'],
  ['a charge below zero', always(success({ results: [], charged: -1 })), 'checked'],
  ['a charge beyond belief', always(success({ results: [], charged: 9e9 })), 'checked'],
  [
    'a word nobody knows',
    always(success({ results: PAGES.map((page) => ({ url: `https://shop.example/1/${page}`, status: 'perhaps' })) })),
    'checked',
  ],
  ['409', always(failure(409, 'CONFLICT')), 'needs_review'],
  ['400', always(failure(400, 'BAD')), 'needs_review'],
] as const) {
  test(`an index-check answered with ${what}: charged once at most, and no verdict is invented`, async (t) => {
    const { connector, service, totals } = await played(t, { check });
    connector.pass(86_400_000);
    const turn = await connector.check();
    assert.ok(turn !== 'later');
    assert.equal(turn.kind, kind);
    if (turn.kind === 'checked') assert.deepEqual([turn.urls, turn.found], [2, 0]);
    const charged = (await getAccountTotals(connector.ledger, ACCOUNT)).chargedEver - totals.chargedEver;
    assert.ok(charged === 0 || charged === 1_000_000, `${charged}`);
    assert.equal(service.counts.check, 1);
    assert.deepEqual(await connector.check(), { kind: 'idle' }, 'the same URLs are not checked again today');
  });
}
