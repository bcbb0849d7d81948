import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
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

/** The same promise, kept by a service of each profile, or of some. */
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

const asked = { urls, inDoubt: false, reference: null };

withEachProfile(
  'a batch is accepted, and the same bytes again are the same job without a charge',
  async ({ service, client, batch }) => {
    const first = decideOutcome(await client.submit(batch.body, batch.key), asked);
    assert.ok(first.kind === 'accepted' && !first.replay);
    const again = decideOutcome(await client.submit(batch.body, batch.key), { ...asked, reference: first.reference });
    assert.ok(again.kind === 'accepted' && again.replay);
    assert.equal(again.reference, first.reference);
    assert.equal(service.getCharged(), 140);
    if (first.charged !== null) assert.equal(first.charged, 1_400_000);
    assert.deepEqual(first.warnings, []);
  },
);

withEachProfile(
  'other bytes under the same key are a conflict, and nothing is sent again',
  async ({ client, batch }) => {
    await client.submit(batch.body, batch.key);
    const outcome = decideOutcome(await client.submit(`${batch.body} `, batch.key), asked);
    assert.deepEqual([outcome.kind, outcome.chargeState], ['conflict', 'unknown']);
  },
);

withEachProfile(
  'a job is followed through list and detail to the state of each URL',
  async ({ service, client, batch }) => {
    const outcome = decideOutcome(await client.submit(batch.body, batch.key), asked);
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
      'a word that nobody knows is open, never failed',
    );

    service.finish('partial');
    const seen: string[] = [];
    const pages = readPages(
      (urlPage) => client.getSubmission(reference, { urlPage, urlLimit: 4 }).then(unwrapData),
      (detail) => detail.urls.map(({ url }) => url).join(),
    );
    for await (const { submission, urls: states } of pages) {
      assert.equal(submission.state, 'partial');
      seen.push(...states.map(({ url, state }) => `${url.at(-1)} ${state}`));
    }
    assert.deepEqual(seen, [
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

withEachProfile('a list is read to its end, in requests that its service understands', async ({ service, client }) => {
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
  'the balance is read to the kuruş',
  async ({ client }) => {
    assert.deepEqual(unwrapData(await client.balance()), { balance: 1_234_560_000 });
  },
  { balanceKurus: 123_456 },
);

withEachProfile('an index-check has a verdict for each URL', async ({ service, client }) => {
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
  'bad URLs that the service names are quarantined by name',
  async ({ client, batch }) => {
    const outcome = decideOutcome(await client.submit(batch.body, batch.key), asked);
    assert.ok(outcome.kind === 'quarantine', outcome.kind);
    assert.deepEqual(
      outcome.rejected.map(({ url }) => url),
      [urls[2], urls[5]],
    );
  },
  { refuses: (url) => /[25]$/.test(url), namesBadUrls: true },
);

withEachProfile(
  'bad URLs that it does not name are looked for in halves',
  async ({ service, client, batch }) => {
    const outcome = decideOutcome(await client.submit(batch.body, batch.key), asked);
    assert.deepEqual([outcome.kind, service.getCharged()], ['split', 0]);
  },
  { refuses: (url) => /[25]$/.test(url) },
);

withEachProfile('the headers of every dialect tell what is left', async ({ client }) => {
  const { budgets } = await client.balance();
  assert.ok(budgets.some(({ limit, remaining }) => limit === 120 && remaining === 100));
});

withEachProfile('the root answers without the key', async ({ service, client }) => {
  assert.deepEqual(unwrapData(await client.root()), { version: '1.0.0', available: true });
  assert.deepEqual(service.credentials, ['']);
});

const lost: readonly Fault[] = [
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
  const outcome = decideOutcome(await client.submit(batch.body, batch.key), asked);
  assert.deepEqual([outcome.kind, outcome.chargeState], ['retry', 'unknown']);
  assert.equal(service.requests.length, 1, 'nothing is retried, followed or repeated in secret');
  const second = await client.submit(batch.body, batch.key);
  assert.equal(decideOutcome(second, { ...asked, inDoubt: true }).kind, 'accepted');
  assert.equal(service.getCharged(), 140);
}

for (const fault of lost) {
  withEachProfile(`${fault}: unknown, one request, and the same bytes again settle it with one charge`, (scene) =>
    settledByTheSameBytes(scene, fault),
  );
}

for (const fault of ['stall-before', 'stall-after'] as const) {
  withEachProfile(
    `${fault}: given up in time, unknown, and the same bytes again settle it with one charge`,
    (scene) => settledByTheSameBytes(scene, fault),
    {},
    NAMED_PROFILES.slice(0, 1),
  );
}

for (const fault of ['error-429-before', 'html-429-before'] as const) {
  withEachProfile(`${fault}: not charged, and the wait is known`, async ({ service, client, batch }) => {
    service.faults.push(fault);
    const outcome = decideOutcome(await client.submit(batch.body, batch.key), asked);
    assert.deepEqual(
      [outcome.kind, outcome.chargeState, outcome.kind === 'retry' && outcome.retryAfterMs],
      ['retry', 'none', 1_000],
    );
  });
}

withEachProfile('an answer that is compressed without being asked to is read', async ({ service, client, batch }) => {
  service.faults.push('gzip-after');
  assert.equal(decideOutcome(await client.submit(batch.body, batch.key), asked).kind, 'accepted');
});

withEachProfile(
  'a lost batch whose key the service has forgotten is found in its list, not bought again',
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
  'a batch that never arrived is absent, also among jobs with the same URLs',
  async ({ service, client, batch }) => {
    const earlier = frozen(service, 7);
    const outcome = decideOutcome(await client.submit(earlier.body, earlier.key), asked);
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

withEachProfile(
  'a detail about another job is an invalid payload, and says which',
  async ({ client, batch, service }) => {
    await client.submit(batch.body, batch.key);
    const missing = toApiError(await client.getSubmission('SUB-404' as Reference));
    assert.deepEqual([missing.name, missing.code, missing.chargeState], ['NotFoundError', 'NOT_FOUND', 'none']);
    assert.equal(service.requests.length, 2);
  },
);

withEachProfile('the key is in the request header and nowhere else', async ({ service, client, batch }) => {
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
  assert.equal(service.credentials.length, 4, 'the redirect was not followed');
  assert.ok(service.credentials.every((credential) => credential.startsWith(`Bearer ${KEY}`)));
  assert.ok(shown.join('\n').includes('[API key]'), 'the service did repeat the key in its error');
  assert.deepEqual(
    shown.filter((text) => text.includes('canary')),
    [],
  );
});

test('a key that no header can carry is not sent and not shown', async () => {
  const client = createApiClient({ baseUrl: 'http://127.0.0.1:9/api/v1', apiKey: () => `${KEY}\n` });
  await assert.rejects(
    client.balance(),
    (error: Error) => /no header can carry/.test(error.message) && !inspect(error).includes('canary'),
  );
});

test('without a connection nothing was sent, and that is known', async () => {
  const client = createApiClient({ baseUrl: 'http://127.0.0.1:9/api/v1', apiKey: () => KEY });
  const outcome = decideOutcome(await client.submit('{}', 'sc1-00000000' as never), asked);
  assert.deepEqual([outcome.kind, outcome.chargeState], ['retry', 'none']);
});

test('the other of the two headers carries the key where the account says so', async (t) => {
  const service = await startFakeService(t, { apiKey: KEY, balanceKurus: 1_000_000 });
  const client = createApiClient({ baseUrl: `${service.baseUrl}/`, apiKey: () => KEY, authentication: 'x-api-key' });
  t.after(() => client.close());
  assert.equal(unwrapData(await client.balance()).balance, 10_000_000_000);
  assert.deepEqual(service.credentials, [KEY]);
});

test('a caller that aborts ends the request', async (t) => {
  const service = await startFakeService(t, { apiKey: KEY, balanceKurus: 1_000_000 });
  const client = createApiClient({ baseUrl: service.baseUrl, apiKey: () => KEY });
  service.faults.push('stall-before');
  const given = AbortSignal.timeout(50);
  await assert.rejects(client.balance({ signal: given }), { name: 'TimeoutError' });
  await client.close();
});

test('an answer without an end is cut off, not swallowed', async (t) => {
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
