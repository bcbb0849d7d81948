import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Micros } from '../../contract/money.ts';
import { startService } from '../../service/serve.ts';
import { createApiClient } from '../../src/api-client/client.ts';
import { toApiError, unwrapData } from '../../src/api-client/errors.ts';
import { findBatchInDoubt, readPages } from '../../src/api-client/find-batch-in-doubt.ts';
import { freezeBatch, freezeCheck } from '../../src/submission/freeze.ts';
import type { AccountId, WatchId } from '../../src/submission/ids.ts';
import { decideCheckOutcome, decideOutcome } from '../../src/submission/outcome.ts';
import type { Url } from '../../src/url/normalize-url.ts';
import { emptyDatabaseUrl } from '../support/database.ts';

const lira = (amount: number) => (amount * 1_000_000) as Micros;

async function scene(t: TestContext, balance = 100) {
  const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite') });
  t.after(() => service.close());
  const account = await service.accounts.createAccount({
    name: 'Shop',
    balance: lira(balance),
    price: lira(0.25),
    priceFast: lira(0.5),
  });
  const { apiKey } = await service.accounts.createKey({ account: account.id });
  const client = createApiClient({ baseUrl: service.baseUrl, apiKey: () => apiKey });
  t.after(() => client.close());
  const batchOf = (size: number, generation = 1) => {
    const urls = Array.from({ length: size }, (_, n) => `https://shop.example/ürün/${generation}/${n}` as Url);
    const names = { baseUrl: service.baseUrl, account: 'main' as AccountId, watch: 'shop' as WatchId };
    const frozen = freezeBatch({ ...names, service: 'fast', project: 'Shop', generation, urls });
    return { urls, frozen, asked: { urls, inDoubt: false, reference: null }, names };
  };
  return { service, client, account, batchOf };
}

describe('client and service over HTTP', () => {
  test('a submission is accepted and charged once, and its charge, price and balance are read', async (t) => {
    const { client, batchOf } = await scene(t);
    const { frozen, asked } = batchOf(40);
    const first = decideOutcome(await client.submit(frozen.body, frozen.key), asked);
    assert.ok(first.kind === 'accepted', JSON.stringify(first));
    assert.deepEqual([first.replay, first.state, first.charged, first.warnings], [false, 'queued', lira(20), []]);
    const again = decideOutcome(await client.submit(frozen.body, frozen.key), { ...asked, reference: first.reference });
    assert.ok(again.kind === 'accepted' && again.replay);
    assert.deepEqual(unwrapData(await client.balance()), { balance: lira(80) });
    assert.deepEqual(unwrapData(await client.me()).prices, { standard: lira(0.25), fast: lira(0.5) });
    assert.equal(unwrapData(await client.stats()).balance, lira(80));
  });

  test('every error maps to the outcome in the answer table', async (t) => {
    const { client, batchOf } = await scene(t, 2);
    const { frozen, asked } = batchOf(4);
    const outcome = async (body: string, key = frozen.key) => decideOutcome(await client.submit(body, key), asked).kind;
    assert.equal(await outcome(frozen.body), 'accepted');
    assert.equal(await outcome(frozen.body.replace('fast', 'standard')), 'conflict');
    assert.equal(await outcome(frozen.body, `${frozen.key}-2` as typeof frozen.key), 'suspend');
    assert.equal(await outcome('{', `${frozen.key}-3` as typeof frozen.key), 'defect');
  });

  test('URLs that the service rejects are named, and only they are quarantined', async (t) => {
    const { client, batchOf } = await scene(t);
    const { frozen, urls } = batchOf(3);
    const bad = 'ftp://shop.example/x' as Url;
    const body = JSON.stringify({ ...JSON.parse(frozen.body), urls: [...urls, bad] });
    const outcome = decideOutcome(await client.submit(body, frozen.key), {
      urls: [...urls, bad],
      inDoubt: false,
      reference: null,
    });
    assert.ok(outcome.kind === 'quarantine', JSON.stringify(outcome));
    assert.deepEqual(
      outcome.rejected.map(({ url }) => url),
      [bad],
    );
  });

  test("the budgets of minute, hour and day are read from every response's headers", async (t) => {
    const { client } = await scene(t);
    const { budgets } = await client.balance();
    const remaining = (seconds: number) =>
      budgets.find(({ windowSeconds, scope }) => windowSeconds === seconds && scope === '')?.remaining;
    assert.deepEqual([60, 3_600, 86_400].map(remaining), [119, 2_999, 29_999]);
  });

  test('the wait of a 429 is read', async (t) => {
    const { client, batchOf } = await scene(t);
    let outcome: ReturnType<typeof decideOutcome> | undefined;
    for (let n = 1; n <= 11; n++) {
      const { frozen, asked } = batchOf(1, n);
      outcome = decideOutcome(await client.submit(frozen.body, frozen.key), asked);
    }
    assert.ok(outcome?.kind === 'retry' && outcome.why === 'rate-limited' && outcome.chargeState === 'none');
    assert.ok(outcome.retryAfterMs !== null && outcome.retryAfterMs > 0 && outcome.retryAfterMs <= 60_000);
  });

  test('list and detail are read to the last page', async (t) => {
    const { client, batchOf } = await scene(t);
    const { frozen, asked, urls } = batchOf(25);
    const outcome = decideOutcome(await client.submit(frozen.body, frozen.key), asked);
    assert.ok(outcome.kind === 'accepted');
    const { submissions, page } = unwrapData(await client.listSubmissions({ limit: 100 }));
    assert.ok(page.last && page.stated);
    assert.deepEqual(
      submissions.map((each) => [each.reference, each.state, each.project, each.urlCount, each.charged]),
      [[outcome.reference, 'queued', frozen.project, 25, lira(12.5)]],
    );
    assert.ok(Math.abs(submissions[0]!.createdAt! - Date.now()) < 60_000);
    const seen: string[] = [];
    const pages = readPages(
      (urlPage) => client.getSubmission(outcome.reference, { urlPage, urlLimit: 10 }).then(unwrapData),
      (detail) => detail.urls.map(({ url }) => url).join(),
    );
    for await (const detail of pages) seen.push(...detail.urls.map(({ url, state }) => `${state} ${url}`));
    assert.deepEqual(
      seen,
      urls.map((url) => `open ${url}`),
    );
    assert.equal(toApiError(await client.getSubmission('nothing' as typeof outcome.reference)).name, 'NotFoundError');
  });

  test('a batch in doubt is found by its tag, and by its URL alone; one that never arrived is absent', async (t) => {
    const { client, batchOf } = await scene(t);
    const { frozen, urls } = batchOf(12);
    const firstSentAt = Date.now();
    await client.submit(frozen.body, frozen.key);
    const ask = { list: client.listSubmissions, detail: client.getSubmission, isTaken: async () => false };
    const byTag = await findBatchInDoubt({ tag: frozen.tag, urls, firstSentAt }, ask);
    assert.equal(byTag.kind, 'found');
    const byUrl = await findBatchInDoubt(
      { tag: frozen.tag, urls, firstSentAt },
      {
        ...ask,
        list: async (query) => client.listSubmissions(query.q === undefined ? query : { ...query, q: 'nothing' }),
      },
    );
    assert.equal(byUrl.kind, 'found');
    const other = batchOf(12, 2);
    assert.deepEqual(await findBatchInDoubt({ tag: other.frozen.tag, urls: other.urls, firstSentAt }, ask), {
      kind: 'absent',
    });
  });

  test('an index-check gives a result for each URL, and its charge is read', async (t) => {
    const { client, batchOf } = await scene(t);
    const { urls, names } = batchOf(5);
    const check = freezeCheck({ ...names, round: 1, urls });
    const outcome = decideCheckOutcome(await client.indexCheck(check.body, check.key), { urls, inDoubt: false });
    assert.ok(outcome.kind === 'checked', JSON.stringify(outcome));
    assert.equal(outcome.charged, lira(2.5));
    assert.ok(
      outcome.results.every(({ verdict }) => verdict !== 'unknown'),
      JSON.stringify(outcome.results),
    );
  });

  test('a revoked key suspends the account', async (t) => {
    const { service, batchOf } = await scene(t);
    const unrelated = createApiClient({ baseUrl: service.baseUrl, apiKey: () => 'no-key-of-this-service' });
    t.after(() => unrelated.close());
    const { frozen, asked } = batchOf(1);
    assert.equal(decideOutcome(await unrelated.submit(frozen.body, frozen.key), asked).kind, 'reject_key');
    assert.equal(unwrapData(await unrelated.root()).available, true);
  });
});
