/** What a ledger must say of the pages of one watch, in plain words: no SQL, no table. Times in milliseconds. */

import type { Reason } from '../../src/submission/reason.ts';
import type { Url } from '../../src/url/normalize-url.ts';
import { makeVersion, SPAN, type Version } from '../../src/url/version.ts';
import { DAY, HOUR } from './ledger.ts';

export const RETRY = { times: 1, afterMs: 6 * HOUR };
export const NOT_WITHIN = 2 * DAY;
export const CHECKS = {
  afterMs: DAY,
  everyMs: 3 * DAY,
  stopWhenFound: true,
  sample: 1,
  resubmitAfter: 2,
  perDay: null,
};
const KEY_TRUST = 20 * 3_600_000;
const GONE_AGAIN = 7 * DAY;
const REJECTED_AGAIN = 30 * DAY;
const MOST_IN_CHECK = 50;

export interface ModelBatch {
  readonly name: string;
  readonly plannedAt: number;
  readonly pages: ModelPage[];
  readonly parent: ModelBatch | null;
  state: 'planned' | 'sending' | 'accepted' | 'refused' | 'needs_review' | 'cancelled';
  reference: string | null;
  acceptedAt: number | null;
  jobState: string | null;
  notBefore: number | null;
  /** An attempt may have been charged. */
  inDoubt: boolean;
  attempts: number;
  /** The first send that may have been charged. */
  sentAt: number | null;
  settled: boolean;
  requestIds: string[];
}

export interface ModelPurchase {
  readonly generation: number;
  readonly due: string | null;
  batch: ModelBatch;
  result: string | null;
  resultReason: string | null;
}

export interface ModelPage {
  readonly url: Url;
  readonly sitemap: string;
  readonly firstRun: { readonly run: string; readonly at: number };
  state: string;
  /** Why it stands so. 'a cap': the sentence names its amounts. */
  reason: Reason | null | 'a cap';
  due: string | null;
  dueAt: number | null;
  generation: number;
  failures: number;
  version: Version | null;
  sitemapReadAt: number | null;
  changedRun: string | null;
  goneRun: string | null;
  purchases: ModelPurchase[];
  checks: {
    at: number | null;
    result: string | null;
    detail: string | null;
    requestId: string | null;
    state: string;
  }[];
  nextCheckAt: number | null;
  boughtAt: number | null;
  completedAt: number;
  lastCheckAt: number | null;
  misses: number;
  found: boolean;
  resubmitted: boolean;
}

/** `since`: its first send that may have been charged. */
interface OpenCheck {
  readonly pages: readonly ModelPage[];
  readonly notBefore: number;
  readonly since: number;
  readonly attempts: number;
}

export class LedgerModel {
  readonly pages = new Map<Url, ModelPage>();
  readonly batches: ModelBatch[] = [];
  /** Everything that was charged, in URLs of a quarter of a lira. */
  readonly charges: { readonly at: number; readonly quarters: number }[] = [];
  /** Pages of the check that has no answer yet. */
  openCheck: OpenCheck | null = null;

  mostInCheck = MOST_IN_CHECK;

  /** Files that were read to their end, with what they list; the counts of the run. */
  night(run: string, now: number, files: ReadonlyMap<string, ReadonlyMap<Url, string | null>>, complete: boolean) {
    const counts = { new: 0, changed: 0, gone: 0 };
    const listed = new Set<Url>();
    for (const [sitemap, entries] of files) {
      for (const [url, lastmod] of entries) {
        const version = lastmod === null ? null : makeVersion(Date.parse(lastmod), SPAN.ms);
        listed.add(url);
        const page = this.pages.get(url);
        if (page === undefined) {
          this.pages.set(url, newPage(url, sitemap, run, now, version));
          counts.new += 1;
          continue;
        }
        page.goneRun = null;
        if (version === page.version) continue;
        page.version = version;
        page.changedRun = run;
        counts.changed += 1;
        // A batch that was not sent covers the change.
        const isCovered = page.state === 'planned' && page.purchases.at(-1)?.batch.state === 'planned';
        if (page.state !== 'quarantined' && !isCovered) page.due ??= 'changed';
      }
      for (const page of this.pages.values()) if (page.sitemap === sitemap) page.sitemapReadAt = now;
    }
    for (const page of this.pages.values()) {
      if (!complete || page.goneRun !== null || listed.has(page.url)) continue;
      page.goneRun = run;
      counts.gone += 1;
    }
    return counts;
  }

  /** What is due and allowed becomes a batch; what is due and not allowed is held. */
  plan(now: number, allowed: number): { readonly due: number; readonly bought: ModelPage[] } {
    const due = this.#inOrder().filter((page) => isDue(page, now));
    const oldest = [...due].sort((a, b) => a.firstRun.at - b.firstRun.at || (a.url < b.url ? -1 : 1));
    const chosen = new Set(oldest.slice(0, Math.max(0, allowed)));
    const bought = due.filter((page) => chosen.has(page));
    for (const page of due) if (!chosen.has(page)) Object.assign(page, { state: 'held', reason: 'a cap' });
    if (bought.length > 0) {
      const batch = this.#addBatch(bought, now, null);
      for (const page of bought) {
        page.generation += 1;
        const { generation, due: reason } = page;
        page.purchases.push({ generation, due: reason, batch, result: null, resultReason: null });
        Object.assign(page, { state: 'planned', reason: null, due: null, dueAt: null });
      }
    }
    return { due: due.length, bought };
  }

  /** Every attempt so far has bought nothing: the next one covers what has changed meanwhile. */
  returnToPlanned(batch: ModelBatch, notBefore: number | null): void {
    Object.assign(batch, { state: 'planned', inDoubt: false, sentAt: null, notBefore });
    for (const page of batch.pages) page.due = null;
  }

  accept(batch: ModelBatch, now: number, reference: string): void {
    Object.assign(batch, {
      state: 'accepted',
      reference,
      acceptedAt: now,
      jobState: 'queued',
      notBefore: null,
      inDoubt: false,
    });
    // Of several sends nobody knows which one was charged.
    const at = batch.attempts <= 1 ? (batch.sentAt ?? now) : now;
    this.charges.push({ at, quarters: batch.pages.length });
    for (const page of batch.pages) Object.assign(page, { state: 'submitted', reason: null, boughtAt: now });
  }

  /** Nothing was charged: the parts are batches in its place, and the named page is not bought. */
  refuse(batch: ModelBatch, parts: readonly ModelPage[][], bad: readonly ModelPage[], reason: string): void {
    batch.state = 'refused';
    for (const part of parts) {
      const child = this.#addBatch(part, batch.plannedAt, batch);
      for (const page of part) page.purchases.at(-1)!.batch = child;
    }
    for (const page of bad) {
      Object.assign(page, { state: 'quarantined', due: null, reason: { code: 'reported', text: reason } });
      Object.assign(page.purchases.at(-1)!, { result: 'refused', resultReason: reason });
    }
  }

  cancel(batch: ModelBatch): void {
    Object.assign(batch, { state: 'cancelled', notBefore: null });
    for (const page of batch.pages)
      Object.assign(page, { state: 'known', reason: null, due: page.purchases.at(-1)!.due, dueAt: null });
  }

  resolve(batch: ModelBatch, how: 'release' | 'leave'): void {
    Object.assign(batch, { state: 'refused', inDoubt: false });
    const decided =
      how === 'release'
        ? { state: 'held', reason: { code: 'released' }, due: 'released', dueAt: null }
        : { state: 'held', reason: { code: 'left_in_review' } };
    for (const page of batch.pages) Object.assign(page, decided);
  }

  /** The job has ended: each page has the service's word, or what the state of the job says. */
  settle(batch: ModelBatch, state: string, now: number, shown: ReadonlyMap<string, readonly [string, string | null]>) {
    const counts = { completed: 0, failed: 0, open: 0, again: 0, quarantined: 0 };
    Object.assign(batch, { jobState: state, settled: true });
    for (const page of batch.pages) {
      const purchase = page.purchases.at(-1)!;
      const [reported, reason] = shown.get(page.url) ?? [null, null];
      const isOpen = reported === null || reported === 'open';
      Object.assign(purchase, { result: isOpen && state !== 'partial' ? state : reported, resultReason: reason });
      if (purchase.result === 'completed') {
        counts.completed += 1;
        Object.assign(page, { state: 'completed', reason: null, failures: 0, completedAt: now, nextCheckAt: now });
        Object.assign(page, { lastCheckAt: null, misses: 0, found: false });
      } else if (purchase.result === 'failed') {
        counts.failed += 1;
        page.failures += 1;
        const again = page.failures <= RETRY.times;
        counts[again ? 'again' : 'quarantined'] += 1;
        const text = reason;
        if (again)
          Object.assign(page, {
            state: 'failed',
            reason: text === null ? null : { code: 'reported', text },
            due: 'retry',
            dueAt: now + RETRY.afterMs * 2 ** (page.failures - 1),
          });
        else {
          const why: Reason = { code: 'failed_too_often', failures: page.failures, text };
          Object.assign(page, { state: 'quarantined', reason: why, due: null, dueAt: null });
        }
      } else {
        counts.open += 1;
        Object.assign(page, { state: 'known', reason: { code: 'no_result', jobState: state } });
      }
    }
    return counts;
  }

  /** The pages of the next index-check. What is not due after all waits for its time. */
  listDueForCheck(now: number): readonly ModelPage[] {
    const due: ModelPage[] = [];
    for (const page of this.pages.values()) {
      if (page.nextCheckAt === null || page.nextCheckAt > now || this.openCheck?.pages.includes(page)) continue;
      const at = page.goneRun === null ? nextCheck(page) : now + GONE_AGAIN;
      if (at !== null && at <= now) due.push(page);
      else page.nextCheckAt = at;
    }
    return due;
  }

  /** Once its key may be forgotten: no list shows it, so it may be charged, and is not sent again. */
  closeExpiredCheck(now: number): void {
    if (this.openCheck === null || now - this.openCheck.since < KEY_TRUST) return;
    const { pages, since, attempts } = this.openCheck;
    // Of several attempts any may be the one: the last was made before the key was forgotten.
    const at = attempts > 1 ? since + KEY_TRUST : since;
    this.charges.push({ at, quarters: 2 * pages.length });
    this.mostInCheck = MOST_IN_CHECK;
    for (const page of pages) {
      page.nextCheckAt = now + CHECKS.everyMs;
      page.checks.at(-1)!.state = 'stopped';
    }
    this.openCheck = null;
  }

  /** Nothing was charged. The named page waits for a month; the next check is half as large. */
  refuseCheck(pages: readonly ModelPage[], now: number, named: ModelPage | null): void {
    this.mostInCheck = Math.max(1, Math.ceil(pages.length / 2));
    if (named !== null) named.nextCheckAt = now + REJECTED_AGAIN;
    for (const page of pages) page.checks.at(-1)!.state = 'refused';
    this.openCheck = null;
  }

  recordVerdicts(pages: readonly ModelPage[], now: number, verdicts: ReadonlyMap<string, string>): void {
    this.charges.push({ at: now, quarters: 2 * pages.length });
    this.mostInCheck = MOST_IN_CHECK;
    for (const page of pages) {
      const result = verdicts.get(page.url) ?? 'unknown';
      page.lastCheckAt = now;
      if (result === 'found') Object.assign(page, { found: true, misses: 0 });
      if (result === 'not-found') Object.assign(page, { found: false, misses: page.misses + 1 });
      page.nextCheckAt = nextCheck(page);
      if (page.found || page.resubmitted || page.misses < CHECKS.resubmitAfter) continue;
      page.resubmitted = true;
      if (page.due === null && page.state === 'completed') page.due = 'not-found';
    }
  }

  release(page: ModelPage): boolean {
    if (page.state !== 'quarantined') return false;
    Object.assign(page, { state: 'held', reason: { code: 'released' }, due: 'released', dueAt: null, failures: 0 });
    return true;
  }

  /** What was charged since, and what may be charged. */
  quartersSince(at: number): number {
    const charged = this.charges.filter((each) => each.at >= at).reduce((sum, { quarters }) => sum + quarters, 0);
    const waiting = this.batches.filter(
      ({ state, inDoubt }) => state === 'planned' || state === 'sending' || (state === 'needs_review' && inDoubt),
    );
    const checks = this.openCheck === null ? 0 : 2 * this.openCheck.pages.length;
    return charged + checks + waiting.reduce((sum, { pages }) => sum + pages.length, 0);
  }

  pending(now: number): ModelBatch[] {
    return this.batches.filter(
      ({ state, notBefore }) =>
        (state === 'planned' || state === 'sending') && (notBefore === null || notBefore <= now),
    );
  }

  #inOrder(): ModelPage[] {
    return [...this.pages.values()].sort((a, b) => (a.url < b.url ? -1 : 1));
  }

  #addBatch(pages: readonly ModelPage[], plannedAt: number, parent: ModelBatch | null): ModelBatch {
    const batch: ModelBatch = {
      name: `batch ${this.batches.length + 1}`,
      plannedAt,
      pages: [...pages],
      parent,
      state: 'planned',
      reference: null,
      acceptedAt: null,
      jobState: null,
      notBefore: null,
      inDoubt: false,
      attempts: 0,
      sentAt: null,
      settled: false,
      requestIds: [],
    };
    this.batches.push(batch);
    return batch;
  }
}

const newPage = (url: Url, sitemap: string, run: string, at: number, version: Version | null): ModelPage => ({
  url,
  sitemap,
  firstRun: { run, at },
  state: 'known',
  reason: null,
  due: 'new',
  dueAt: null,
  generation: 0,
  failures: 0,
  version,
  sitemapReadAt: at,
  changedRun: null,
  goneRun: null,
  purchases: [],
  checks: [],
  nextCheckAt: null,
  boughtAt: null,
  completedAt: 0,
  lastCheckAt: null,
  misses: 0,
  found: false,
  resubmitted: false,
});

/** A change is not bought within the time that the watch sets; a failed page not before its time; a gone one not at all. */
function isDue(page: ModelPage, now: number): boolean {
  if (page.due === null) return false;
  const waits = ['planned', 'submitted', 'quarantined'].includes(page.state) || page.goneRun !== null;
  const from =
    page.due === 'changed' && page.boughtAt !== null
      ? page.boughtAt + NOT_WITHIN
      : page.due === 'changed'
        ? null
        : page.dueAt;
  if (from !== null && from > now) {
    page.dueAt = from;
    return false;
  }
  if (!waits || page.due === 'changed') page.dueAt = null;
  return !waits;
}

function nextCheck({ found, lastCheckAt, completedAt }: ModelPage): number | null {
  if (found) return null;
  if (lastCheckAt === null) return completedAt + CHECKS.afterMs;
  return lastCheckAt + Math.max(CHECKS.everyMs, Math.round((lastCheckAt - completedAt) / 4));
}
