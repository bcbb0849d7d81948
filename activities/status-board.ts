import type { Reference } from '../src/submission/ids.ts';

/** What a job looks like from outside. */
export interface Seen {
  readonly reference: Reference;
  readonly state: string;
}

/** The two ways to ask; each call of either is one request of the key's budget. */
export interface BoardSource {
  one(reference: Reference): Promise<Seen>;
  /** A page of the list, newest first, as long as the service makes them. */
  page(number: number): Promise<{ readonly seen: readonly Seen[]; readonly last: boolean }>;
}

export interface StatusBoard {
  /** The job's state, as seen at most so many milliseconds ago. Rejects as the request that it needed did. */
  look(reference: Reference, maxAgeMs: number): Promise<Seen>;
}

export interface BoardSettings {
  /** How long questions are gathered before they are asked together. */
  readonly gatherMs: number;
  /** How long what a page showed is kept. */
  readonly keepMs: number;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** From so many jobs on, a page of a hundred is asked instead of each job. */
const WORTH_A_PAGE = 3;

interface Question {
  readonly resolve: (seen: Seen) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Answers many trackers with few requests: questions that come together are answered from pages of the list, a single
 * one by the job's own address. Polling each of ten standard jobs every 30 s would use up a key's whole day.
 */
export function createStatusBoard(source: BoardSource, settings: BoardSettings): StatusBoard {
  const { gatherMs, keepMs, now, sleep } = settings;
  const seenAt = new Map<Reference, { seen: Seen; at: number }>();
  let asked = new Map<Reference, Question[]>();
  let gathering = false;

  async function round(): Promise<void> {
    gathering = true;
    await sleep(gatherMs);
    gathering = false;
    const open = asked;
    asked = new Map();
    try {
      if (open.size >= WORTH_A_PAGE) await askPages(open);
      for (const reference of [...open.keys()]) answer(open, await source.one(reference));
    } catch (error) {
      for (const questions of open.values()) for (const { reject } of questions) reject(error);
    }
  }

  /** Pages for as long as each still answers more jobs than asking for them one by one would. */
  async function askPages(open: Map<Reference, Question[]>): Promise<void> {
    for (let number = 1; open.size > 0; number++) {
      const before = open.size;
      const { seen, last } = await source.page(number);
      for (const each of seen) answer(open, each);
      if (last || before - open.size < 1) return;
    }
  }

  function answer(open: Map<Reference, Question[]>, seen: Seen): void {
    seenAt.set(seen.reference, { seen, at: now() });
    for (const { resolve } of open.get(seen.reference) ?? []) resolve(seen);
    open.delete(seen.reference);
  }

  function forgetStale(): void {
    for (const [reference, { at }] of seenAt) if (now() - at > keepMs) seenAt.delete(reference);
  }

  return {
    look(reference, maxAgeMs) {
      forgetStale();
      const known = seenAt.get(reference);
      if (known !== undefined && now() - known.at <= maxAgeMs) return Promise.resolve(known.seen);
      return new Promise((resolve, reject) => {
        asked.set(reference, [...(asked.get(reference) ?? []), { resolve, reject }]);
        if (!gathering) void round();
      });
    },
  };
}

/**
 * Moves a look later, by at most a quarter, onto a tick that all jobs with such a wait share, so that their questions
 * meet on one page.
 */
export function onSharedTick(now: number, waitMs: number): number {
  const tick = 2 ** Math.floor(Math.log2(Math.max(waitMs / 4, 1)));
  return Math.ceil((now + waitMs) / tick) * tick - now;
}
