import { ApplicationFailure, type Client } from '@temporalio/client';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { LedgerId } from '../../src/submission/ids.ts';
import { renderStoredReason, type StoredReason } from '../../src/submission/reason.ts';
import { FAILURE_TYPE } from '../../src/temporal-api/failure-types.ts';
import { PRICE } from './account-admin.ts';
import {
  countGenerationsByUrl,
  countServiceRecords,
  countSubmissionsByUrl,
  getLedgerCharges,
  getServiceCharges,
} from './charges.ts';
import type { Harness } from './harness.ts';
import { FAILS, POISON } from './scenario.ts';

export interface Totals {
  readonly urls: number;
  /** (URL, generation) pairs that the service took. */
  readonly bought: number;
  readonly jobs: number;
  readonly checks: number;
  /** How many URLs ended how: "completed", "quarantined: …", "gone, completed". */
  readonly ends: ReadonlyMap<string, number>;
}

export interface Judgement {
  readonly totals: Totals;
  /** What was promised and does not hold; empty when all does. */
  readonly breaches: readonly string[];
}

/** What an operator did that changes what may be expected. */
export interface Circumstances {
  /** The service's charges are compared with the ledger's, and with no price. */
  readonly priceChanged?: boolean;
  /** Index-checks cannot be restored, and workflows of what the restored ledger does not know fail. */
  readonly restored?: boolean;
  /** Pages move and watches come and go: a page that fails may be left with one try. */
  readonly operated?: boolean;
}

/** Compares the service's database with the ledger, and the state of every URL with what the sites list. */
export async function judge(
  { ledger, ledgerId, serviceDb, proxy, site, client, settings }: Harness,
  circumstances: Circumstances = {},
): Promise<Judgement> {
  const breaches = [...findKeysWithTwoBodies(proxy.bodies)];
  const taken = await countSubmissionsByUrl(serviceDb);
  const ours = await countGenerationsByUrl(ledger);
  breaches.push(...compareUrls(taken, ours));
  const bought = [...ours.values()].reduce((sum, times) => sum + times, 0);
  breaches.push(...(await compareCharges(ledger, serviceDb, bought, circumstances)));
  const urls = await readUrls(ledger, new Set(settings.watches.keys()));
  const listed = new Set([...site.pages().values()].flat());
  for (const url of listed) if (!urls.has(url)) breaches.push(`${url} is listed, and the ledger has never heard of it`);
  for (const each of urls.values()) {
    const wrong = findUrlBreach(each, { listed: listed.has(each.url), times: taken.get(each.url) ?? 0 }, circumstances);
    if (wrong !== null) breaches.push(`${each.url} (${describeEnd(each)}): ${wrong}`);
  }
  breaches.push(...(await findOpenRows(ledger)));
  if (!circumstances.restored) breaches.push(...(await findFailedWorkflows(client, ledgerId)));
  const ends = new Map<string, number>();
  for (const each of urls.values()) ends.set(describeEnd(each), (ends.get(describeEnd(each)) ?? 0) + 1);
  return { totals: { urls: urls.size, bought, ...(await countServiceRecords(serviceDb)), ends }, breaches };
}

function* findKeysWithTwoBodies(bodies: Harness['proxy']['bodies']): Generator<string> {
  for (const [key, { size }] of bodies) if (size !== 1) yield `key ${key} was sent with ${size} bodies`;
}

function* compareUrls(taken: ReadonlyMap<string, number>, ours: ReadonlyMap<string, number>): Generator<string> {
  for (const [url, times] of taken) {
    const known = ours.get(url) ?? 0;
    if (times !== known) yield `${url} was bought ${times} times, and the ledger has ${known} generations of it`;
  }
  for (const [url, times] of ours) {
    if (!taken.has(url)) yield `${url}: ${times} generations, of which the service knows none`;
  }
}

async function compareCharges(
  ledger: Database,
  serviceDb: Database,
  bought: number,
  { priceChanged, restored }: Circumstances,
): Promise<string[]> {
  const theirs = await getServiceCharges(serviceDb);
  const charged = await getLedgerCharges(ledger);
  const wrong: string[] = [];
  if (!priceChanged && theirs.jobs !== bought * PRICE) {
    wrong.push(
      `the service charged ${theirs.jobs} for ${bought} URL generations at ${PRICE}, that is ${bought * PRICE}`,
    );
  }
  if (theirs.jobs !== charged.jobs) wrong.push(`the service charged ${theirs.jobs}, the ledger says ${charged.jobs}`);
  if (!restored && theirs.checks !== charged.checks) {
    wrong.push(`the service charged ${theirs.checks} for checks, the ledger says ${charged.checks}`);
  }
  return wrong;
}

interface UrlEnd {
  readonly url: string;
  readonly state: string;
  readonly reason: string | null;
  readonly gone: number | null;
  /** The watch is in the configuration: nothing else is crawled, or found to be gone. */
  readonly watched: boolean;
}

/** A URL of several watches has ended as well as it has under any of them. */
async function readUrls(ledger: Database, watches: ReadonlySet<string>): Promise<Map<string, UrlEnd>> {
  const rows = await ledger.all(sql<Omit<UrlEnd, 'watched' | 'reason'> & StoredReason & { watch: string }>`
    SELECT u.url, u.state, u.reason_code, u.reason_params, u.gone_run AS gone, w.name AS watch
    FROM urls AS u JOIN watches AS w ON w.id = u.watch_id`);
  const ends = new Map<string, UrlEnd>();
  for (const { watch, url, state, gone, ...stored } of rows) {
    const row = { url, state, gone, reason: renderStoredReason(stored) };
    const watched = watches.has(watch);
    const other = ends.get(row.url);
    const best = other === undefined || rank(row) < rank(other) ? row : other;
    ends.set(row.url, {
      ...best,
      gone: other === undefined || other.gone !== null ? row.gone : null,
      watched: watched || other?.watched === true,
    });
  }
  return ends;
}

const ENDS = ['completed', 'quarantined'];
const rank = ({ state }: Pick<UrlEnd, 'state'>): number => (ENDS.includes(state) ? ENDS.indexOf(state) : ENDS.length);

function describeEnd({ state, reason, gone }: UrlEnd): string {
  const why = state === 'completed' || reason === null ? '' : `: ${reason.slice(0, 60)}`;
  return `${gone === null ? '' : 'gone, '}${state}${why}`;
}

/** What is wrong with where a URL ended and how often it was bought; null when nothing is. */
function findUrlBreach(
  { state, reason, gone, url, watched }: UrlEnd,
  { listed, times }: { readonly listed: boolean; readonly times: number },
  { operated }: Circumstances,
): string | null {
  // One that fails is bought a second time, once; a refused one never.
  const most = url.includes(POISON) ? 0 : url.includes(FAILS) ? 2 : 1;
  if (times > most) return `it was bought ${times} times, at most ${most} are wanted`;
  if (listed && gone !== null) return 'it is listed, and the ledger calls it gone';
  if (!listed) return gone === null && watched ? 'no sitemap lists it any more, and the ledger does not know' : null;
  if (operated && most === 2) return times > 0 ? null : 'it was never bought';
  if (state === 'completed') return times === 1 && most === 1 ? null : `it was bought ${times} times`;
  if (state !== 'quarantined') return 'it has not ended';
  if (reason === null) return 'it has no reason';
  if (most === 1) return 'nothing is wrong with it';
  return times === most ? null : `it was bought ${times} times of ${most}`;
}

/** Batches and checks that have not ended, or need review. */
async function findOpenRows(ledger: Database): Promise<string[]> {
  const batches = await ledger.all(sql<{ id: number; state: string; reason: string | null; n: number }>`
    SELECT id, state, reason_code AS reason, urls AS n FROM batches
    WHERE state NOT IN ('accepted', 'refused', 'cancelled') OR (state = 'accepted' AND settled_at IS NULL)`);
  const checks = await ledger.all(sql<{ id: number; state: string; reason: string | null }>`
    SELECT id, state, reason_code AS reason FROM checks WHERE state NOT IN ('done', 'refused')`);
  return [
    ...batches.map(({ id, state, reason, n }) => `batch ${id} (${n} URLs) is left ${state}: ${reason}`),
    ...checks.map(({ id, state, reason }) => `check ${id} is left ${state}: ${reason}`),
  ];
}

/** A run that another one blocked, and one that was reset after its end, say so and did nothing. */
const MAY_FAIL = /Another run of \S+ is active|has ended \(/;
/** A run whose sitemaps failed says so by failing; it did its work, and the next one reads them again. */
const SITEMAPS_FAILED: readonly string[] = [FAILURE_TYPE.nothingRead, FAILURE_TYPE.incompleteTooOften];

/** Those of one ledger: another one may share the namespace, and be judged by itself. */
async function findFailedWorkflows(client: Client, ledgerId: LedgerId): Promise<string[]> {
  const failed: string[] = [];
  const query = `ExecutionStatus IN ('Failed', 'TimedOut', 'Canceled')`;
  for await (const { workflowId, runId, status } of client.workflow.list({ query })) {
    if (workflowId.split('/')[1] !== ledgerId) continue;
    const why = await client.workflow
      .getHandle(workflowId, runId, { firstExecutionRunId: runId })
      .result()
      .then(
        () => null,
        (error: Error) => deepest(error),
      );
    const type = why instanceof ApplicationFailure ? (why.type ?? '') : '';
    if (SITEMAPS_FAILED.includes(type) || MAY_FAIL.test(why?.message ?? '')) continue;
    failed.push(`${workflowId} ended ${status.name}: ${why?.message ?? ''}`);
  }
  return failed;
}

const deepest = (error: Error): Error => (error.cause instanceof Error ? deepest(error.cause) : error);
