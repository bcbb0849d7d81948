import type { Reference } from '../submission/ids.ts';
import type { ListPositions } from '../submission/list-positions.ts';
import type { JobStatusCache, PollLease, ReportedStatus } from './job-status-cache.ts';

/** The two ways to poll; each call spends one request of the key's budget. */
export interface JobStatusSource {
  one(reference: Reference): Promise<ReportedStatus>;
  /**
   * A page of the list, newest first. `length`: how many jobs the service puts on a page; 0 on the last. Null when the
   * service's list omits the states.
   */
  page(number: number): Promise<{ readonly seen: readonly ReportedStatus[]; readonly length: number } | null>;
  /** The list positions of these jobs, as far as the ledger knows. */
  positions(references: readonly Reference[]): Promise<ListPositions>;
}

export interface JobStatusLoader {
  /** The job's state, requested no earlier than `notBefore`. Rejects with the error of the request that it needs. */
  load(reference: Reference, notBefore: number): Promise<ReportedStatus>;
}

export interface LoaderSettings {
  /** How long loads are gathered before they share a request. */
  readonly gatherMs: number;
  /** How many jobs a page is expected to hold. */
  readonly pageLength: number;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

interface Load {
  readonly notBefore: number;
  readonly resolve: (status: ReportedStatus) => void;
  readonly reject: (error: unknown) => void;
}
type Loads = Map<Reference, Load[]>;

/**
 * Serves many trackers with few requests: concurrent loads share pages of the list, a single one uses the job's own
 * address, and a status that any process of the account requested since `notBefore` is not requested again. Polling
 * each of ten standard jobs every 30 s would use up a key's whole day.
 */
export function createJobStatusLoader(
  source: JobStatusSource,
  statusCache: JobStatusCache,
  settings: LoaderSettings,
): JobStatusLoader {
  const { gatherMs, now, sleep } = settings;
  let { pageLength } = settings;
  let pending: Loads = new Map();
  let working = false;
  let listHasStates = true;
  /** Whether the last page showed an expected job: it may not, where others submit with the account too. */
  let pagesHelp = true;

  async function drain(): Promise<void> {
    working = true;
    while (pending.size > 0) {
      await sleep(gatherMs);
      const open = pending;
      pending = new Map();
      try {
        await round(open);
      } catch (error) {
        for (const loads of open.values()) for (const { reject } of loads) reject(error);
      }
    }
    working = false;
  }

  async function round(open: Loads): Promise<void> {
    await resolveFromCache(open);
    if (open.size === 0) return;
    const lease = await statusCache.acquireLease();
    if (lease === null) requeue(open);
    else await withLease(lease, open);
  }

  async function withLease(lease: PollLease, open: Loads): Promise<void> {
    try {
      // The previous lease holder may have loaded them.
      await resolveFromCache(open);
      await requestStates(open);
    } finally {
      await lease.end();
    }
  }

  /** Another process is polling: the next round reads its results from the cache. */
  function requeue(open: Loads): void {
    for (const [reference, loads] of open) pending.set(reference, [...loads, ...(pending.get(reference) ?? [])]);
    open.clear();
  }

  /** Resolves the loads that a recent enough cache entry satisfies. */
  async function resolveFromCache(open: Loads): Promise<void> {
    for (const cached of await statusCache.get([...open.keys()])) resolveLoads(open, cached, cached.at);
  }

  /**
   * Newest first: requests the page where each job should be, if it can serve more than one. It requests a page for a
   * single load too, because loads of the other jobs follow within moments and then cost nothing.
   */
  async function requestStates(open: Loads): Promise<void> {
    if (open.size === 0) return;
    const { newer, several } = await source.positions([...open.keys()]);
    const positions = new Map(newer);
    const pageForOne = pagesHelp && several;
    while (open.size > 0) {
      const waiting = [...open.keys()].toSorted((a, b) => getPosition(positions, a) - getPosition(positions, b));
      const [first] = waiting;
      if (first === undefined) return;
      const page = Math.floor(getPosition(positions, first) / pageLength) + 1;
      const together = waiting.filter((reference) => getPosition(positions, reference) < page * pageLength);
      const worthAPage = together.length > (pageForOne ? 0 : 1);
      if (!listHasStates || !worthAPage) {
        await loadOne(open, first);
        continue;
      }
      const hasNext = await loadPage(open, page);
      for (const reference of together.filter((each) => open.has(each))) {
        // External submissions pushed it further back, or the list does not have it.
        if (hasNext) positions.set(reference, Math.max(getPosition(positions, reference), page * pageLength));
        else positions.delete(reference);
      }
    }
  }

  async function loadOne(open: Loads, reference: Reference): Promise<void> {
    const at = now();
    const status = await source.one(reference);
    await statusCache.record([status], at);
    for (const { resolve } of open.get(reference) ?? []) resolve(status);
    open.delete(reference);
  }

  /** Returns whether the page resolved anything and another page follows. */
  async function loadPage(open: Loads, number: number): Promise<boolean> {
    const before = open.size;
    const at = now();
    const page = await source.page(number);
    if (page === null) {
      listHasStates = false;
      return false;
    }
    const { seen, length } = page;
    if (length > 0) pageLength = length;
    await statusCache.record(seen, at);
    for (const each of seen) resolveLoads(open, each, at);
    pagesHelp = open.size < before;
    return pagesHelp && length > 0;
  }

  function resolveLoads(open: Loads, status: ReportedStatus, at: number): void {
    const { reference, state, allCompleted } = status;
    const loads = open.get(reference);
    if (loads === undefined || loads.some(({ notBefore }) => notBefore > at)) return;
    for (const { resolve } of loads) resolve({ reference, state, allCompleted });
    open.delete(reference);
  }

  return {
    load: (reference, notBefore) =>
      new Promise((resolve, reject) => {
        pending.set(reference, [...(pending.get(reference) ?? []), { notBefore, resolve, reject }]);
        if (!working) void drain();
      }),
  };
}

/** A job with an unknown position sorts behind all others. */
const getPosition = (positions: ReadonlyMap<Reference, number>, reference: Reference): number =>
  positions.get(reference) ?? Number.POSITIVE_INFINITY;
