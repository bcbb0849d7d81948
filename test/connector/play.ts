import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { listBatches } from '../../src/ledger/reports/lists.ts';
import { getAccountTotals } from '../../src/ledger/reports/totals.ts';
import type { AccountId } from '../../src/submission/ids.ts';
import { startFakeService } from '../fakes/service/fake-service.ts';
import { always, type Overrides, success } from '../fakes/service/replies.ts';
import type { Dialect } from '../support/database.ts';
import { createTestConnector } from '../support/test-connector.ts';

export const ACCOUNT = 'main' as AccountId;
export const PAGES = ['1', '2'];
const TRACKING =
  'price_per_url: 0.25 TRY, tracking: { standard: { first: 1m, min: 1m, max: 10m, growth: 2, timeout: 1d } }';
const WATCH = 'retry_failed: { times: 3, after: 1h }, index_check: { after: 1ms, every: 1d }';

/** Accepts everything, completes every job at its first poll, and lists nothing: all but what a test overrides. */
const CONTENT: Overrides = {
  detail: (_, reference) => success({ reference, status: 'completed', urls: [] }),
  list: always(success({ submissions: [], total: 0 })),
};

export async function openScene(t: TestContext, dialect: Dialect, overrides: Overrides) {
  const service = await startFakeService(t, { overrides: { ...CONTENT, ...overrides } });
  const { baseUrl } = service;
  return { service, connector: await createTestConnector(t, { baseUrl, account: TRACKING, watch: WATCH, dialect }) };
}

/** Plans two new URLs a run, sends and follows them, and checks that each was sent under one key only. */
export async function play(t: TestContext, dialect: Dialect, overrides: Overrides, { steps = 60, runs = 1 } = {}) {
  const { service, connector } = await openScene(t, dialect, overrides);
  const messages: string[] = [];
  for (let run = 1; run <= runs; run++) {
    const pages = PAGES.map((page) => `${run}/${page}`);
    await connector.plan(`run-${run}`, pages);
    messages.push(...(await connector.play({ steps })).messages);
  }
  const batches = (await listBatches(connector.ledger)).toReversed();
  /** Everything that an operator reads. */
  const text = [...messages, ...batches.flatMap(({ reason }) => reason ?? [])].join('\n');
  assertSentOnce([...service.bodies.values()]);
  assert.deepEqual(service.breaches, []);
  return { service, connector, batches, text, totals: await getAccountTotals(connector.ledger, ACCOUNT) };
}

/** No URL was sent under two keys. */
export function assertSentOnce(bodies: readonly (readonly string[])[]): void {
  const seen = new Set<string>();
  for (const [body] of bodies) {
    for (const url of (JSON.parse(body!) as { urls: string[] }).urls) {
      assert.ok(!seen.has(url), `${url} was sent under two keys`);
      seen.add(url);
    }
  }
}
