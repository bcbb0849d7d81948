import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { type FakeService, type FakeServiceOptions, startFakeService } from '../../test/fakes/service/fake-service.ts';
import type { Fault } from '../../test/fakes/service/faults.ts';
import type { Profile } from '../../test/fakes/service/profile.ts';
import { NAMED_PROFILES } from '../../test/fakes/service/profiles/named.ts';
import { freezeBatch, freezeCheck } from '../submission/freeze.ts';
import type { AccountId, Reference, WatchId } from '../submission/ids.ts';
import { decideCheckOutcome, decideOutcome } from '../submission/outcome.ts';
import type { Url } from '../url/normalize-url.ts';
import { type ApiClient, createApiClient } from './client.ts';
import { toApiError, unwrapData } from './errors.ts';
import { toFailureData } from './failure.ts';
import { findBatchInDoubt, readPages } from './find-batch-in-doubt.ts';

const KEY = 'canary-6fe1b0c2d94a';
const urls = Array.from({ length: 7 }, (_, n) => `https://shop.example/${n}` as Url);

interface Scene {
  readonly service: FakeService;
  readonly client: ApiClient;
  readonly batch: ReturnType<typeof freezeBatch>;
}

const frozen = (service: FakeService, generation = 1) =>
  freezeBatch({
    baseUrl: service.baseUrl,
    account: 'main' as AccountId,
    watch: 'shop' as WatchId,
    service: 'standard',
    project: 'Shop',
    generation,
    urls,
  });

/** Runs the same test against a service of each profile, or of some. */
function withEachProfile(
  name: string,
  body: (scene: Scene) => Promise<void>,
  options: FakeServiceOptions = {},
  profiles: readonly Profile[] = NAMED_PROFILES,
): void {
  for (const profile of profiles) {
    test(`${name} (${profile.name})`, async (t) => {
      const service = await startFakeService(t, { apiKey: KEY, priceKurus: 20, ...options, profile });
      const timeouts = { headersMs: 300, bodyMs: 300, totalMs: 1_000 };
      const client = createApiClient({ baseUrl: service.baseUrl, apiKey: () => KEY, timeouts });
      t.after(() => client.close());
      await body({ service, client, batch: frozen(service) });
    });
  }
}

const submitted = { urls, inDoubt: false, reference: null };

describe('createApiClient', () => {
  withEachProfile(
    'accepts a batch, and returns the same job without a charge when the bytes are resent',
    async ({ service, client, batch }) => {
      const first = decideOutcome(await client.submit(batch.body, batch.key), submitted);
      assert.ok(first.kind === 'accepted' && !first.replay);
      const again = decideOutcome(await client.submit(batch.body, batch.key), {
        ...submitted,
        reference: first.reference,
      });
      assert.ok(again.kind === 'accepted' && again.replay);
      assert.equal(again.reference, first.reference);
      assert.equal(service.getCharged(), 140);
      if (first.charged !== null) assert.equal(first.charged, 1_400_000);
      assert.deepEqual(first.warnings, []);
    },
  );

  withEachProfile(
    'reports a conflict for other bytes under the same key and does not resend',
    async ({ client, batch }) => {
      await client.submit(batch.body, batch.key);
      const outcome = decideOutcome(await client.submit(`${batch.body} `, batch.key), submitted);
      assert.deepEqual([outcome.kind, outcome.chargeState], ['conflict', 'unknown']);
    },
  );

  withEachProfile(
    'follows a job through list and detail to the state of each URL',
    async ({ service, client, batch }) => {
      const outcome = decideOutcome(await client.submit(batch.body, batch.key), submitted);
      assert.ok(outcome.kind === 'accepted');
      const { reference } = outcome;
      const listed = unwrapData(await client.listSubmissions({ limit: 100 })).submissions;
      assert.deepEqual(
        listed.map((each) => [each.reference, each.state]),
        [[reference, 'queued']],
      );
      const open = unwrapData(await client.getSubmission(reference));
      assert.ok(
        open.urls.every(({ state }) => state === 'open'),
        'treats an unknown status as open, never as failed',
      );

      service.finish('partial');
      const urlStates: string[] = [];
      const pages = readPages(
        (urlPage) => client.getSubmission(reference, { urlPage, urlLimit: 4 }).then(unwrapData),
        (detail) => detail.urls.map(({ url }) => url).join(),
      );
      for await (const { submission, urls: states } of pages) {
        assert.equal(submission.state, 'partial');
        urlStates.push(...states.map(({ url, state }) => `${url.at(-1)} ${state}`));
      }
      assert.deepEqual(urlStates, [
        '0 failed',
        '1 completed',
        '2 failed',
        '3 completed',
        '4 failed',
        '5 completed',
        '6 failed',
      ]);
    },
  );

  withEachProfile('reads a list to its end in requests that the service understands', async ({ service, client }) => {
    for (let generation = 1; generation <= 45; generation++) {
      const { body, key } = frozen(service, generation);
      await client.submit(body, key);
    }
    const before = service.requests.length;
    const references = new Set<string>();
    const pages = readPages(
      (page) => client.listSubmissions({ page, limit: 20 }).then(unwrapData),
      ({ submissions }) => submissions.map(({ reference }) => reference).join(),
    );
    for await (const { submissions } of pages) for (const { reference } of submissions) references.add(reference);
    assert.equal(references.size, 45);
    assert.ok(service.requests.length - before <= 4);
  });

  withEachProfile(
    'reads the balance to the kuruş',
    async ({ client }) => {
      assert.deepEqual(unwrapData(await client.balance()), { balance: 1_234_560_000 });
    },
    { balanceKurus: 123_456 },
  );

  withEachProfile('reads a verdict for each URL of an index-check', async ({ service, client }) => {
    const check = freezeCheck({
      baseUrl: service.baseUrl,
      account: 'main' as AccountId,
      watch: 'shop' as WatchId,
      round: 1,
      urls: urls.slice(0, 3),
    });
    const outcome = decideCheckOutcome(await client.indexCheck(check.body, check.key), {
      urls: urls.slice(0, 3),
      inDoubt: false,
    });
    assert.ok(outcome.kind === 'checked');
    assert.deepEqual(
      outcome.results.map(({ verdict }) => verdict),
      ['found', 'not-found', 'found'],
    );
  });

  withEachProfile(
    'quarantines the bad URLs that the service names',
    async ({ client, batch }) => {
      const outcome = decideOutcome(await client.submit(batch.body, batch.key), submitted);
      assert.ok(outcome.kind === 'quarantine', outcome.kind);
      assert.deepEqual(
        outcome.rejected.map(({ url }) => url),
        [urls[2], urls[5]],
      );
    },
    { refuses: (url) => /[25]$/.test(url), namesBadUrls: true },
  );

  withEachProfile(
    'bisects a batch whose bad URLs the service does not name',
    async ({ service, client, batch }) => {
      const outcome = decideOutcome(await client.submit(batch.body, batch.key), submitted);
      assert.deepEqual([outcome.kind, service.getCharged()], ['split', 0]);
    },
    { refuses: (url) => /[25]$/.test(url) },
  );

  withEachProfile('reads the remaining requests from the headers of every dialect', async ({ client }) => {
    const { budgets } = await client.balance();
    assert.ok(budgets.some(({ limit, remaining }) => limit === 120 && remaining === 100));
  });

  withEachProfile('reads the root without the key', async ({ service, client }) => {
    assert.deepEqual(unwrapData(await client.root()), { version: '1.0.0', available: true });
    assert.deepEqual(service.credentials, ['']);
  });

  const inDoubtFaults: readonly Fault[] = [
    'drop-before',
    'drop-after',
    'cut-after',
    'html-200-after',
    'html-502-after',
    'error-500-before',
    'error-503-before',
    'redirect-before',
    'no-reference-after',
    'contradiction-after',
    'success-false-202-after',
    'wrong-types-after',
  ];
  async function settledByTheSameBytes({ service, client, batch }: Scene, fault: Fault): Promise<void> {
    service.faults.push(fault);
    const outcome = decideOutcome(await client.submit(batch.body, batch.key), submitted);
    assert.deepEqual([outcome.kind, outcome.chargeState], ['retry', 'unknown']);
    assert.equal(service.requests.length, 1, 'the client never retries or follows on its own');
    const second = await client.submit(batch.body, batch.key);
    assert.equal(decideOutcome(second, { ...submitted, inDoubt: true }).kind, 'accepted');
    assert.equal(service.getCharged(), 140);
  }

  for (const fault of inDoubtFaults) {
    withEachProfile(
      `${fault}: in doubt after one request; resending the same bytes resolves it with one charge`,
      (scene) => settledByTheSameBytes(scene, fault),
    );
  }

  for (const fault of ['stall-before', 'stall-after'] as const) {
    withEachProfile(
      `${fault}: times out, in doubt; resending the same bytes resolves it with one charge`,
      (scene) => settledByTheSameBytes(scene, fault),
      {},
      NAMED_PROFILES.slice(0, 1),
    );
  }

  for (const fault of ['error-429-before', 'html-429-before'] as const) {
    withEachProfile(`${fault}: not charged, with a known wait`, async ({ service, client, batch }) => {
      service.faults.push(fault);
      const outcome = decideOutcome(await client.submit(batch.body, batch.key), submitted);
      assert.deepEqual(
        [outcome.kind, outcome.chargeState, outcome.kind === 'retry' && outcome.retryAfterMs],
        ['retry', 'none', 1_000],
      );
    });
  }

  withEachProfile(
    'reads a response that is compressed although no encoding was requested',
    async ({ service, client, batch }) => {
      service.faults.push('gzip-after');
      assert.equal(decideOutcome(await client.submit(batch.body, batch.key), submitted).kind, 'accepted');
    },
  );

  withEachProfile(
    'finds a batch in doubt in the list when its key has expired, and does not buy it again',
    async ({ service, client, batch }) => {
      const firstSentAt = Date.now();
      service.faults.push('drop-after');
      await client.submit(batch.body, batch.key);
      service.advance(30 * 3_600_000);
      const ask = {
        list: client.listSubmissions,
        detail: client.getSubmission,
        isTaken: async () => false,
      };
      const search = await findBatchInDoubt({ tag: batch.tag, urls, firstSentAt }, ask);
      assert.equal(search.kind, 'found');
      assert.equal(service.getCharged(), 140);
    },
  );

  withEachProfile(
    'reports a batch that never arrived as absent, even among jobs with the same URLs',
    async ({ service, client, batch }) => {
      const earlier = frozen(service, 7);
      const outcome = decideOutcome(await client.submit(earlier.body, earlier.key), submitted);
      assert.ok(outcome.kind === 'accepted');
      const taken = new Set<Reference>([outcome.reference]);
      const search = await findBatchInDoubt(
        { tag: batch.tag, urls, firstSentAt: Date.now() },
        {
          list: client.listSubmissions,
          detail: client.getSubmission,
          isTaken: async (reference) => taken.has(reference),
        },
      );
      assert.deepEqual(search, { kind: 'absent' });
    },
  );

  withEachProfile('rejects a detail about another job and names that job', async ({ client, batch, service }) => {
    await client.submit(batch.body, batch.key);
    const missing = toApiError(await client.getSubmission('SUB-404' as Reference));
    assert.deepEqual([missing.name, missing.code, missing.chargeState], ['NotFoundError', 'NOT_FOUND', 'none']);
    assert.equal(service.requests.length, 2);
  });

  withEachProfile('puts the key in the request header and nowhere else', async ({ service, client, batch }) => {
    const shown: string[] = [inspect(client, { depth: null, showHidden: true }), JSON.stringify(client)];
    const wrong = createApiClient({ baseUrl: service.baseUrl, apiKey: () => `${KEY}-revoked` });
    service.faults.push(null, 'redirect-before', 'drop-before', 'cut-after');
    for (const each of [wrong, client, client, client]) {
      const answer = await each.submit(batch.body, batch.key);
      const error = toApiError(answer);
      shown.push(inspect(answer, { depth: null, showHidden: true }), JSON.stringify(toFailureData(error)));
      shown.push(inspect(error, { depth: null, showHidden: true }), String(error), error.stack ?? '');
    }
    await wrong.close();
    assert.equal(service.credentials.length, 4, 'the client does not follow redirects');
    assert.ok(service.credentials.every((credential) => credential.startsWith(`Bearer ${KEY}`)));
    assert.ok(shown.join('\n').includes('[API key]'), 'the service repeats the key in its error');
    assert.deepEqual(
      shown.filter((text) => text.includes('canary')),
      [],
    );
  });

  test('neither sends nor shows a key that is not a valid header value', async () => {
    const client = createApiClient({ baseUrl: 'http://127.0.0.1:9/api/v1', apiKey: () => `${KEY}\n` });
    await assert.rejects(
      client.balance(),
      (error: Error) => /a header cannot carry/.test(error.message) && !inspect(error).includes('canary'),
    );
  });

  test('knows that nothing was sent when the connection fails', async () => {
    const client = createApiClient({ baseUrl: 'http://127.0.0.1:9/api/v1', apiKey: () => KEY });
    const outcome = decideOutcome(await client.submit('{}', 'sc1-00000000' as never), submitted);
    assert.deepEqual([outcome.kind, outcome.chargeState], ['retry', 'none']);
  });

  test('sends the key as X-API-Key when the account is configured so', async (t) => {
    const service = await startFakeService(t, { apiKey: KEY, balanceKurus: 1_000_000 });
    const client = createApiClient({ baseUrl: `${service.baseUrl}/`, apiKey: () => KEY, authentication: 'x-api-key' });
    t.after(() => client.close());
    assert.equal(unwrapData(await client.balance()).balance, 10_000_000_000);
    assert.deepEqual(service.credentials, [KEY]);
  });

  test('ends the request when the caller aborts', async (t) => {
    const service = await startFakeService(t, { apiKey: KEY, balanceKurus: 1_000_000 });
    const client = createApiClient({ baseUrl: service.baseUrl, apiKey: () => KEY });
    service.faults.push('stall-before');
    const given = AbortSignal.timeout(50);
    await assert.rejects(client.balance({ signal: given }), { name: 'TimeoutError' });
    await client.close();
  });

  test('stops reading an endless response', async (t) => {
    const server = createServer((_, response) => {
      const piece = Buffer.alloc(1024 * 1024, ' ');
      const more = () => response.write(piece) && setImmediate(more);
      response.on('drain', more);
      more();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
    const client = createApiClient({ baseUrl, apiKey: () => KEY });
    t.after(() => client.close());
    const { body } = await client.submit('{}', 'sc1-00000000' as never);
    assert.ok(body.kind === 'unreadable' && /more than 16777216 bytes/.test(body.what));
  });
});
