import { type Account, type Config, requireAccount, type Watch } from '../config/config.ts';
import { listNextRuns } from '../config/next-runs.ts';
import { getTimeZone } from '../config/time-zone.ts';
import { getStatusAsConfigured } from '../ledger/money/account-status.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { listHeldRuns } from '../ledger/reports/held-runs.ts';
import { listBatches } from '../ledger/reports/lists.ts';
import { listRuns } from '../ledger/reports/totals.ts';
import { getUrlHistory, type UrlHistory } from '../ledger/reports/url-history.ts';
import type { WatchId } from '../submission/ids.ts';
import { renderReason } from '../submission/reason.ts';
import { explainScope, type ScopeExplanation } from '../url/explain-scope.ts';
import type { Url } from '../url/normalize-url.ts';
import { listSpellings } from '../url/spellings.ts';
import { explainStanding, type Standing } from './explain-standing.ts';
import { explainUnread } from './explain-unread.ts';

/** Why a URL is where it is in one watch, and what comes next. */
export interface UrlExplanation extends Standing {
  readonly watch: WatchId;
  /** Null when the watch is not in the configuration any more. */
  readonly scope: ScopeExplanation | null;
  /** Null when the ledger has not seen the URL in this watch. */
  readonly history: UrlHistory | null;
  /** The zone of the watch's schedule, for times. */
  readonly zone: string;
}

/** Another spelling of a URL, which the ledger knows. */
export interface KnownSpelling {
  readonly url: Url;
  readonly watch: WatchId;
  readonly state: UrlHistory['state'];
}

/**
 * Explains a URL for every watch that knows it or has it in scope; for those that exclude it too, when there is no
 * other.
 */
export async function explainUrl(
  { config, ledger }: { readonly config: Config; readonly ledger: Ledger },
  url: Url,
): Promise<UrlExplanation[]> {
  const histories = new Map((await getUrlHistory(ledger, url)).map((history) => [history.watch, history]));
  const scoped = [...config.watches.values()].map((watch) => ({ watch, scope: explainScope(watch, url) }));
  const concerned = scoped.filter(({ watch, scope }) => scope.inScope || histories.has(watch.id));
  const explained: UrlExplanation[] = [];
  for (const { watch, scope } of concerned.length > 0 ? concerned : scoped)
    explained.push(
      await explainInWatch(
        ledger,
        requireAccount(config, watch.account),
        watch,
        scope,
        histories.get(watch.id) ?? null,
      ),
    );
  for (const history of histories.values()) {
    if (config.watches.has(history.watch)) continue;
    const why = `the watch ${history.watch} is not in the configuration any more; in it, the URL is ${history.state}`;
    const next = 'nothing: only configured watches run';
    explained.push({
      watch: history.watch,
      scope: null,
      history,
      zone: 'UTC',
      standing: 'no_watch',
      why,
      next,
      nextAt: null,
    });
  }
  return explained;
}

async function explainInWatch(
  ledger: Ledger,
  account: Account,
  watch: Watch,
  scope: ScopeExplanation,
  history: UrlHistory | null,
): Promise<UrlExplanation> {
  const runs = await listRuns(ledger, watch.id, 20);
  const status = await getStatusAsConfigured(ledger, account);
  const stopped = status.keyRejected ?? status.suspended;
  const last = history?.purchases.at(-1);
  const [batch] = last === undefined ? [] : await listBatches(ledger, { batch: last.batch, limit: 1 });
  const [nextRunAt = null] = watch.schedule === null || watch.paused ? [] : listNextRuns(watch.schedule, 1);
  const [held = null] = await listHeldRuns(ledger, watch.id);
  return {
    watch: watch.id,
    scope,
    history,
    zone: getTimeZone(watch),
    ...explainStanding({
      watch,
      scope,
      history,
      batch: batch ?? null,
      unread: batch === undefined ? null : await explainUnread(ledger, account, batch.batch),
      held,
      accountReason: stopped === null ? null : renderReason(stopped),
      lastReadAt: runs.find(({ endState }) => endState === 'finished' || endState === 'previewed')?.startedAt ?? null,
      nextRunAt,
      now: ledger.now(),
    }),
  };
}

/** Spellings of a URL that the ledger knows, the nearest first. For one that it has never seen. */
export async function findKnownSpellings(ledger: Ledger, url: Url): Promise<KnownSpelling[]> {
  const known: KnownSpelling[] = [];
  for (const spelling of listSpellings(url))
    for (const { watch, state } of await getUrlHistory(ledger, spelling)) known.push({ url: spelling, watch, state });
  return known;
}
