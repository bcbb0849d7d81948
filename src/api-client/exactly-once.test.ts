import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { startFakeService } from '../../test/fakes/service/fake-service.ts';
import { FAULTS } from '../../test/fakes/service/faults.ts';
import { NAMED_PROFILES } from '../../test/fakes/service/profiles/named.ts';
import { type FrozenBatch, freezeBatch } from '../submission/freeze.ts';
import type { AccountId, Reference, WatchId } from '../submission/ids.ts';
import { decideOutcome } from '../submission/outcome.ts';
import { mustReconcile } from '../submission/reconcile.ts';
import type { Url } from '../url/normalize-url.ts';
import { createApiClient } from './client.ts';
import { findBatchInDoubt } from './find-batch-in-doubt.ts';

const HOUR = 3_600_000;
const PRICE_KURUS = 20;
/** Left out: the stalls take a second each, and 402 suspends the account. Both have tests of their own. */
const UNTESTED_HERE = ['stall-before', 'stall-after', 'error-402-before'];
const PASSING_FAULTS = FAULTS.filter((fault) => !UNTESTED_HERE.includes(fault));

interface Planned {
  readonly urls: readonly Url[];
  readonly frozen: FrozenBatch;
  /** When the first attempt with an unknown outcome was made. */
  unknownSince: number | null;
  /** Whether the batch must be looked up before anything else. */
  inDoubt: boolean;
  reference: Reference | null;
}

const schedule = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
  /** What happens to each request in turn, and how many hours pass before its attempt. */
  events: fc.array(
    fc.record({
      fault: fc.option(fc.constantFrom(...PASSING_FAULTS), { freq: 4 }),
      hours: fc.constantFrom(0, 0, 0, 1, 21, 30, 100),
    }),
    { maxLength: 25 },
  ),
});

describe('exactly-once submission', () => {
  for (const profile of NAMED_PROFILES) {
    test(`each batch is charged once, whatever fails and even when keys expire (${profile.name})`, async () => {
      await fc.assert(
        fc.asyncProperty(schedule, async ({ sizes, events }) => {
          const service = await startFakeService(null, { profile, priceKurus: PRICE_KURUS, keyLifeMs: 24 * HOUR });
          const client = createApiClient({ baseUrl: service.baseUrl, apiKey: () => 'any-key' });
          let skew = 0;
          const now = () => Date.now() + skew;
          const upcoming = [...events];
          const nextRequest = <T>(request: () => T): T => {
            service.faults.push(upcoming.shift()?.fault ?? null);
            return request();
          };
          /** An empty detail is a job that does not show its URLs: whether it is the batch stays undecided. */
          const nextLookup = <T>(request: () => T): T => {
            if (upcoming[0]?.fault === 'no-reference-after') upcoming[0] = { ...upcoming[0], fault: null };
            return nextRequest(request);
          };
          const timePasses = () => {
            const hours = upcoming[0]?.hours ?? 0;
            skew += hours * HOUR;
            service.advance(hours * HOUR);
          };
          const batches = sizes.map((size, at): Planned => {
            const urls = Array.from({ length: size }, (_, n) => `https://shop.example/${at}/${n}` as Url);
            const frozen = freezeBatch({
              baseUrl: service.baseUrl,
              account: 'main' as AccountId,
              watch: 'shop' as WatchId,
              service: 'fast',
              project: 'Shop',
              generation: 1,
              urls,
            });
            return { urls, frozen, unknownSince: null, inDoubt: false, reference: null };
          });
          const isTaken = async (reference: Reference) => batches.some((batch) => batch.reference === reference);

          /** One attempt of a dispatcher that follows only the rules. */
          async function attempt(batch: Planned): Promise<void> {
            const { urls, frozen, unknownSince } = batch;
            timePasses();
            if (unknownSince !== null && (batch.inDoubt || mustReconcile(unknownSince, now()))) {
              const search = await findBatchInDoubt(
                { tag: frozen.tag, urls, firstSentAt: unknownSince },
                {
                  list: (query) => nextLookup(() => client.listSubmissions(query)),
                  detail: (reference, page) => nextLookup(() => client.getSubmission(reference, page)),
                  isTaken,
                },
              ).catch(() => null);
              if (search?.kind === 'found') batch.reference = search.submission.reference;
              if (search?.kind === 'absent') {
                assert.ok(!batch.inDoubt, 'a job that the service called accepted is in its list');
                batch.unknownSince = null;
              }
              assert.notEqual(search?.kind, 'unsure');
              return;
            }
            const sentAt = now();
            const answer = await nextRequest(() => client.submit(frozen.body, frozen.key));
            const outcome = decideOutcome(answer, { urls, inDoubt: unknownSince !== null, reference: null });
            if (outcome.kind === 'accepted') batch.reference = outcome.reference;
            else {
              assert.match(outcome.kind, /^(retry|conflict)$/);
              batch.inDoubt ||= outcome.kind === 'conflict';
              if (outcome.chargeState === 'unknown') batch.unknownSince ??= sentAt;
            }
          }

          try {
            for (let round = 0; batches.some(({ reference }) => reference === null); round++) {
              assert.ok(round < 200, 'every batch ends');
              for (const batch of batches.filter(({ reference }) => reference === null)) await attempt(batch);
            }
            const total = sizes.reduce((sum, size) => sum + size, 0);
            assert.equal(service.getCharged(), total * PRICE_KURUS);
            assert.equal(new Set(batches.map(({ reference }) => reference)).size, batches.length);
          } finally {
            await client.close();
            await service.close();
          }
        }),
        { numRuns: Number(process.env.COURIER_TEST_CLIENT_RUNS ?? 60), interruptAfterTimeLimit: 240_000 },
      );
    });
  }
});
