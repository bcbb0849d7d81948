import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { startRun } from '../../../src/connector/run-client.ts';
import { DatabaseUnavailableError } from '../../../src/database/database.ts';
import { sql } from '../../../src/database/sql.ts';
import type { WatchId } from '../../../src/submission/ids.ts';
import { watchWorkflowId } from '../../../src/temporal-api/ids.ts';
import { retryThroughOutages } from '../../chaos/killable-temporal.ts';
import type { ClusterOptions } from './options.ts';
import type { Stack } from './stack.ts';

export interface Progress {
  readonly runsStarted: number;
  readonly runsEnded: number;
  /** Pages that all sitemaps list now. */
  readonly listed: number;
  readonly plannedUrls: number;
  readonly acceptedUrls: number;
  readonly waitingBatches: number;
  readonly openJobs: number;
}

export interface Played {
  readonly runs: number;
  /** Runs that did not end as they should. */
  readonly breaches: readonly string[];
}

export interface PlayWith {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Whether more is done to the cluster: runs go on so long. */
  readonly isDisturbed: () => boolean;
}

const TICK_MS = 1_000;
const STARTS_AT_ONCE = 20;

/**
 * A run of each watch, and while `forMs` lasts or more is done to the cluster another one as soon as the last has ended, with new pages. Then waits until
 * everything is accepted and every job has ended. A breach says what had not when the time was up.
 */
export async function play(
  stack: Stack,
  { forMs, limitMs, growPercent, urls }: ClusterOptions,
  { signal, onProgress, isDisturbed }: PlayWith,
): Promise<Played> {
  const { config, ledger, client, pages } = stack;
  const grow = Math.max(1, Math.round(((urls / pages.size) * growPercent) / 100));
  const active = new Map<string, WatchId>();
  const breaches: string[] = [];
  const startedAt = Date.now();
  let runsStarted = 0;
  let runsEnded = 0;
  const goesOn = () => Date.now() < startedAt + forMs || isDisturbed();

  async function start(watches: readonly WatchId[]): Promise<void> {
    const left = [...watches];
    const work = async () => {
      for (let id = left.shift(); id !== undefined && !signal.aborted; id = left.shift()) {
        const name = `run-${++runsStarted}`;
        const watch = config.watches.get(id)!;
        await retryThroughOutages(() => startRun(client, ledger.id, watch, 'accepted', name)).catch(
          (error: unknown) => {
            if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
          },
        );
        active.set(watchWorkflowId(ledger.id, id, name), id);
      }
    };
    await Promise.all(Array.from({ length: STARTS_AT_ONCE }, work));
  }

  await start([...config.watches.keys()]);
  for (let deadline = Date.now() + limitMs; !signal.aborted; await sleep(TICK_MS)) {
    const ended = await whileUp(() => listEnded(stack, active));
    for (const { name, state } of ended ?? []) {
      if (state !== 'finished') breaches.push(`${name} ended ${state}`);
      runsEnded++;
    }
    const again = (ended ?? []).map(({ name }) => active.get(name)!);
    for (const { name } of ended ?? []) active.delete(name);
    if (goesOn() && again.length > 0) {
      await stack.publish(again.map((watch) => ({ watch, pages: pages.get(watch)! + grow })));
      await start(again);
    }
    const progress = await whileUp(() => readProgress(stack, runsStarted, runsEnded));
    if (progress === null) continue;
    onProgress(progress);
    const isDone = active.size === 0 && progress.waitingBatches === 0 && progress.openJobs === 0;
    if (isDone && !goesOn()) return { runs: runsStarted, breaches };
    if (Date.now() > deadline) {
      breaches.push(
        `not at its end after ${Math.round((Date.now() - startedAt) / 1_000)} s: ${active.size} runs, ` +
          `${progress.waitingBatches} batches without an answer, ${progress.openJobs} jobs`,
      );
      for (const run of [...active.keys()].slice(0, 10)) breaches.push(`${run} has not ended`);
      return { runs: runsStarted, breaches };
    }
    if (goesOn()) deadline = Date.now() + limitMs;
  }
  throw signal.reason;
}

interface EndedRun {
  readonly name: string;
  readonly state: string;
}

/** Those of the active runs that the ledger calls ended. */
async function listEnded({ ledger }: Stack, active: ReadonlyMap<string, WatchId>): Promise<EndedRun[]> {
  if (active.size === 0) return [];
  const rows = await ledger.db.all(sql<EndedRun>`
    SELECT name, end_state AS state FROM runs WHERE id IN (SELECT max(id) FROM runs GROUP BY watch_id) AND ended_at IS NOT NULL`);
  return rows.filter(({ name }) => active.has(name));
}

async function readProgress({ ledger, pages }: Stack, runsStarted: number, runsEnded: number): Promise<Progress> {
  const row = await ledger.db.one(sql<{ planned: number; accepted: number; waiting: number; open: number }>`
    SELECT coalesce(sum(urls), 0) AS planned,
      coalesce(sum(CASE WHEN state = 'accepted' THEN urls ELSE 0 END), 0) AS accepted,
      coalesce(sum(CASE WHEN state IN ('planned', 'sending') THEN 1 ELSE 0 END), 0) AS waiting,
      coalesce(sum(CASE WHEN state = 'accepted' AND settled_at IS NULL THEN 1 ELSE 0 END), 0) AS open
    FROM batches`);
  return {
    ...{ runsStarted, runsEnded, plannedUrls: row.planned, acceptedUrls: row.accepted },
    ...{ waitingBatches: row.waiting, openJobs: row.open },
    listed: [...pages.values()].reduce((sum, count) => sum + count, 0),
  };
}

/** Null while the database is down: that is part of the play. */
async function whileUp<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) return null;
    throw error;
  }
}
