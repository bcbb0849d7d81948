import type { AccountId, RunId, WatchId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';
import { type HeldOfWatch, listAllHeld } from './held-runs.ts';
import { listRunSummaries, type RunSummary } from './run-summary.ts';
import { listSitemapProblemsOf, type SitemapProblem } from './sitemap-problems.ts';
import type { RunLine } from './totals.ts';
import { listWatchFigures, type WatchFigures } from './watch-figures.ts';

/** All that is shown of a watch. */
export interface WatchState {
  readonly id: WatchId;
  readonly account: AccountId;
  readonly figures: WatchFigures;
  /** Its last run that did something: no preview, and no import of what was bought elsewhere. Null before the first. */
  readonly last: { readonly run: RunLine; readonly summary: RunSummary } | null;
  /** Its runs that wait for a decision or for money, newest first. */
  readonly held: readonly HeldOfWatch[];
  /** The first sitemaps that its last ended run could not read. */
  readonly unread: readonly SitemapProblem[];
}

const SHOWN_SITEMAPS = 3;

/**
 * The watches of a configuration, in the order given, and those that left it while a run of them is held. In as many
 * statements for one watch as for a thousand.
 */
export async function listWatchStates(
  ledger: Ledger,
  configured: readonly { readonly id: WatchId; readonly account: AccountId }[],
): Promise<{ readonly states: readonly WatchState[]; readonly removed: readonly WatchState[] }> {
  const held = Map.groupBy(await listAllHeld(ledger), ({ watch }) => watch);
  const known = new Set(configured.map(({ id }) => id));
  const removed = [...held].flatMap(([id, [run]]) =>
    known.has(id) || run === undefined ? [] : [{ id, account: run.account }],
  );
  const figures = await listWatchFigures(ledger, [...known, ...removed.map(({ id }) => id)]);
  const runs = new Map([...figures].map(([id, each]) => [id, each.runs[0] ?? null]));
  const summaries = await listRunSummaries(ledger, toNames([...runs.values()]));
  const failed = [...figures.values()].map(({ lastRun }) => (lastRun?.succeeded === false ? lastRun : null));
  const unread = await listSitemapProblemsOf(ledger, toNames(failed), SHOWN_SITEMAPS);
  const toState = ({ id, account }: (typeof configured)[number]): WatchState[] => {
    const own = figures.get(id);
    if (own === undefined) return [];
    const run = runs.get(id) ?? null;
    const summary = run === null ? undefined : summaries.get(run.run);
    return [
      {
        ...{ id, account, figures: own, held: held.get(id) ?? [] },
        last: run === null || summary === undefined ? null : { run, summary },
        unread: own.lastRun === null ? [] : (unread.get(own.lastRun.run) ?? []),
      },
    ];
  };
  return { states: configured.flatMap(toState), removed: removed.flatMap(toState) };
}

const toNames = (runs: readonly ({ readonly run: RunId } | null)[]): RunId[] => runs.flatMap((each) => each?.run ?? []);
