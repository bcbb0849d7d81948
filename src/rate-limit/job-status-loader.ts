import type { Reference } from '../submission/ids.ts';
import type { ListPositions } from '../submission/list-positions.ts';
import type { JobStatusCache, JobStatusSeen, PollLease } from './job-status-cache.ts';

/** The two ways to ask; each call of either is one request of the key's budget. */
export interface JobStatusSource {
  one(reference: Reference): Promise<JobStatusSeen>;
  /**
   * A page of the list, newest first. `length`: how many jobs the service puts on one; 0 when this is the last. Null from
   * a service whose list shows jobs without their states.
   */
  page(number: number): Promise<{ readonly seen: readonly JobStatusSeen[]; readonly length: number } | null>;
  /** Where the list has these jobs, as far as the ledger knows. */
  positions(references: readonly Reference[]): Promise<ListPositions>;
}

export interface JobStatusLoader {
  /** The job's state, asked no earlier than then. Rejects as the request that it needed did. */
  load(reference: Reference, notBefore: number): Promise<JobStatusSeen>;
}

export interface LoaderSettings {
  /** How long questions are gathered before they are asked together. */
  readonly gatherMs: number;
  /** How many jobs a page is expected to hold. */
  readonly pageLength: number;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

interface Question {
  readonly notBefore: number;
  readonly resolve: (seen: JobStatusSeen) => void;
  readonly reject: (error: unknown) => void;
}
type Questions = Map<Reference, Question[]>;

/**
 * Answers many trackers with few requests: questions that come together are answered from pages of the list, a single
 * one by the job's own address; and what any process of the account has asked since a question's time is not asked
 * again. Polling each of ten standard jobs every 30 s would use up a key's whole day.
 */
export function createJobStatusLoader(
  source: JobStatusSource,
  statusCache: JobStatusCache,
  settings: LoaderSettings,
): JobStatusLoader {
  const { gatherMs, now, sleep } = settings;
  let { pageLength } = settings;
  let asked: Questions = new Map();
  let working = false;
  let listHasStates = true;
  /** Whether the last page showed what it was asked for: it may not, where others submit with the account as well. */
  let pagesHelp = true;

  async function work(): Promise<void> {
    working = true;
    while (asked.size > 0) {
      await sleep(gatherMs);
      const open = asked;
      asked = new Map();
      try {
        await round(open);
      } catch (error) {
        for (const questions of open.values()) for (const { reject } of questions) reject(error);
      }
    }
    working = false;
  }

  async function round(open: Questions): Promise<void> {
    await recall(open);
    if (open.size === 0) return;
    const turn = await statusCache.acquireLease();
    if (turn === null) waitOn(open);
    else await inTurn(turn, open);
  }

  async function inTurn(turn: PollLease, open: Questions): Promise<void> {
    try {
      // Whoever had the turn before may have answered them.
      await recall(open);
      await ask(open);
    } finally {
      await turn.end();
    }
  }

  /** Another process is asking: what it learns is looked up in the next round. */
  function waitOn(open: Questions): void {
    for (const [reference, questions] of open) asked.set(reference, [...questions, ...(asked.get(reference) ?? [])]);
    open.clear();
  }

  /** Answers what has been seen lately enough. */
  async function recall(open: Questions): Promise<void> {
    for (const cached of await statusCache.get([...open.keys()])) answer(open, cached, cached.at);
  }

  /**
   * The newest first: the page where each should be, if it can answer more than one. It is asked for a single question
   * too, because those of the other jobs come a moment later, and cost nothing then.
   */
  async function ask(open: Questions): Promise<void> {
    if (open.size === 0) return;
    const { newer, several } = await source.positions([...open.keys()]);
    const places = new Map(newer);
    const forOne = pagesHelp && several;
    while (open.size > 0) {
      const waiting = [...open.keys()].toSorted((a, b) => getPosition(places, a) - getPosition(places, b));
      const [first] = waiting;
      if (first === undefined) return;
      const page = Math.floor(getPosition(places, first) / pageLength) + 1;
      const together = waiting.filter((reference) => getPosition(places, reference) < page * pageLength);
      const worthAPage = together.length > (forOne ? 0 : 1);
      if (!listHasStates || !worthAPage) {
        await askOne(open, first);
        continue;
      }
      const goOn = await askPage(open, page);
      for (const reference of together.filter((each) => open.has(each))) {
        // Others submit with the account as well, so it is further back; or the list does not have it.
        if (goOn) places.set(reference, Math.max(getPosition(places, reference), page * pageLength));
        else places.delete(reference);
      }
    }
  }

  async function askOne(open: Questions, reference: Reference): Promise<void> {
    const at = now();
    const seen = await source.one(reference);
    await statusCache.record([seen], at);
    for (const { resolve } of open.get(reference) ?? []) resolve(seen);
    open.delete(reference);
  }

  /** Whether the page answered anything and another comes after it. */
  async function askPage(open: Questions, number: number): Promise<boolean> {
    const before = open.size;
    const at = now();
    const shown = await source.page(number);
    if (shown === null) {
      listHasStates = false;
      return false;
    }
    const { seen, length } = shown;
    if (length > 0) pageLength = length;
    await statusCache.record(seen, at);
    for (const each of seen) answer(open, each, at);
    pagesHelp = open.size < before;
    return pagesHelp && length > 0;
  }

  function answer(open: Questions, { reference, state }: JobStatusSeen, at: number): void {
    const questions = open.get(reference);
    if (questions === undefined || questions.some(({ notBefore }) => notBefore > at)) return;
    for (const { resolve } of questions) resolve({ reference, state });
    open.delete(reference);
  }

  return {
    load: (reference, notBefore) =>
      new Promise((resolve, reject) => {
        asked.set(reference, [...(asked.get(reference) ?? []), { notBefore, resolve, reject }]);
        if (!working) void work();
      }),
  };
}

/** A job that is nowhere known stands alone behind all others. */
const getPosition = (places: ReadonlyMap<Reference, number>, reference: Reference): number =>
  places.get(reference) ?? Number.POSITIVE_INFINITY;
