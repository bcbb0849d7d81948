import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { Micros } from '../../contract/money.ts';
import { sql } from '../../src/database/sql.ts';
import { listPendingBatches } from '../../src/ledger/batches/batch-queries.ts';
import { beginSend } from '../../src/ledger/batches/begin-send.ts';
import { type AnswerRecorded, recordAnswer } from '../../src/ledger/batches/record-answer.ts';
import { diffRun, type RunDiff } from '../../src/ledger/crawl/diff-run.ts';
import { observe } from '../../src/ledger/crawl/observe.ts';
import { type Ledger, ledgerOver } from '../../src/ledger/open-ledger.ts';
import type { PlanInput } from '../../src/ledger/plans/allowance.ts';
import { previewRuns } from '../../src/ledger/plans/preview-runs.ts';
import type { Plan } from '../../src/ledger/plans/read-plan.ts';
import type { AccountPolicy, WatchPolicy } from '../../src/ledger/policy.ts';
import { assignReason } from '../../src/ledger/reason-columns.ts';
import { beginRun, endRun } from '../../src/ledger/runs/runs.ts';
import { parseW3cDate } from '../../src/sitemap/lastmod.ts';
import type { GuardPolicy } from '../../src/submission/guard.ts';
import type { AccountId, BatchId, Reference, RunId, WatchId } from '../../src/submission/ids.ts';
import type { Reason } from '../../src/submission/reason.ts';
import type { Url } from '../../src/url/normalize-url.ts';
import { testOnEach } from './database.ts';

/** A ledger with a clock that stands still until a test moves it. */
export interface TestLedger extends Ledger {
  pass(ms: number): void;
}

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const QUARTER = 250_000 as Micros;

export const ACCOUNT: AccountPolicy = {
  id: 'main' as AccountId,
  baseUrl: 'https://service.example/api/v1',
  pricePerUrl: { standard: QUARTER, fast: QUARTER },
  spend: { perDay: null, perMonth: null, balanceFloor: 0 as Micros },
};

export const WATCH: WatchPolicy = {
  id: 'shop' as WatchId,
  project: 'Shop',
  service: 'standard',
  resubmit: { onLastmodChange: true, notWithinMs: 0 },
  retryFailed: { times: 1, afterMs: HOUR },
  spend: { perRun: null, perDay: null, perMonth: null },
};

/** No guard at all. */
export const NO_GUARD: GuardPolicy = {
  maxNew: null,
  maxNewPercent: null,
  maxChanged: null,
  maxChangedPercent: null,
  maxGonePercent: null,
};

/** Declares a ledger test once per database. */
export function testLedger(
  name: string,
  body: (ledger: TestLedger, t: TestContext, url: string) => Promise<void>,
): void {
  testOnEach(name, async (db, t, url) => {
    let time = Date.UTC(2026, 0, 15, 12);
    const ledger = await ledgerOver(db, () => time);
    await body(
      {
        ...ledger,
        pass(ms) {
          time += ms;
        },
      },
      t,
      url,
    );
  });
}

export const shopUrl = (path: string | number): Url => `https://shop.example/${path}` as Url;

export type Page = string | readonly [string, string];

/** A site: sitemaps with their pages; a page is a path, or a path and its lastmod. `cut`: the sitemap breaks off after. */
export type Site = Readonly<
  Record<string, readonly Page[] | { readonly cut: readonly Page[] } | 'broken' | 'not-modified'>
>;

/** One run: the site is crawled and compared. The run stays open. */
export async function crawled(
  ledger: Ledger,
  run: string,
  site: Site,
  {
    watch = WATCH.id,
    account = ACCOUNT.id,
    firstRun = 'submit' as 'submit' | 'baseline',
    complete = true,
    scope = '',
    configured = null as readonly WatchId[] | null,
  } = {},
): Promise<RunDiff> {
  const id = run as RunId;
  const sources = Object.keys(site);
  await beginRun(ledger, { watch, account, run: id, sources, scope, firstRun });
  const observation = await observe(ledger, id);
  for (const [sitemap, there] of Object.entries(site)) {
    const cut = typeof there === 'object' && 'cut' in there;
    const pages = cut ? there.cut : there;
    if (pages === 'broken') {
      await observation.verdict(sitemap, { verdict: 'incomplete', code: 'HTTP_STATUS', message: 'status 500' });
      continue;
    }
    const known = {
      kind: 'urlset',
      urls: pages.length,
      fingerprint: digest(JSON.stringify(pages)),
      bytes: 1,
      tookMs: 1,
    } as const;
    if (pages !== 'not-modified') {
      const entries = pages.map((page) => (typeof page === 'string' ? ([page, null] as const) : page));
      await observation.entries(
        sitemap,
        entries.map(([path, lastmod]) => {
          return { url: shopUrl(path), version: lastmod === null ? null : parseW3cDate(lastmod) };
        }),
      );
    }
    if (cut) {
      await observation.verdict(sitemap, { verdict: 'incomplete', code: 'NETWORK', message: 'it broke off' });
      continue;
    }
    await observation.verdict(sitemap, { verdict: pages === 'not-modified' ? 'not-modified' : 'complete', ...known });
  }
  return diffRun(ledger, id, { complete, configured });
}

/** The same, and the run is ended. */
export async function completeRun(
  ledger: Ledger,
  run: string,
  site: Site,
  options?: Parameters<typeof crawled>[3],
): Promise<RunDiff> {
  const diff = await crawled(ledger, run, site, options);
  await endRun(ledger, run as RunId, 'finished');
  return diff;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Sends what is pending, one after another, and records each as accepted. */
export async function sendAll(ledger: Ledger, charge = QUARTER): Promise<Reference[]> {
  const references: Reference[] = [];
  for (;;) {
    const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]?.id;
    if (batch === undefined) return references;
    const recorded = await sendOne(ledger, batch, charge);
    if (recorded.kind !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(recorded)}`);
    references.push(recorded.reference);
  }
}

export async function sendOne(ledger: Ledger, batch: BatchId, charge = QUARTER): Promise<AnswerRecorded> {
  const sending = await beginSend(ledger, batch, { account: ACCOUNT, watch: WATCH });
  if (sending.kind !== 'send') throw new Error(`not to be sent: ${JSON.stringify(sending)}`);
  return recordAnswer(ledger, batch, {
    attempt: sending.attempt,
    outcome: accepted(`R-${batch}`, (charge * sending.urls.length) as Micros),
    status: 202,
    requestId: `q-${batch}`,
  });
}

/** What every batch that waits is told to wait for. */
export async function waitFor({ db }: Ledger, reason: Reason): Promise<void> {
  await db.run(sql`UPDATE batches SET ${assignReason(reason)} WHERE state IN ('planned', 'sending')`);
}

export function accepted(reference: string, charged: Micros | null = null) {
  return {
    kind: 'accepted',
    chargeState: 'charged',
    reference: reference as Reference,
    replay: false,
    state: 'queued',
    charged,
    pricePerUrl: null,
    balance: null,
    warnings: [],
  } as const;
}

/** The plan of one run alone, without carrying it out. */
export async function previewRun(ledger: Ledger, run: RunId, input: PlanInput): Promise<Plan> {
  const [plan] = await previewRuns(ledger, [{ run, input }]);
  if (plan === undefined) throw new RangeError(`no plan of run ${run}`);
  return plan;
}
