import { loadavg } from 'node:os';
import { sql } from '../../../src/database/sql.ts';
import type { ScriptCleanup } from '../../support/cleanup.ts';
import { promote } from './deploy.ts';
import { disturb } from './disturb.ts';
import { computeFairness, computeSpread, type Fairness, type Spread, type Waited } from './figures.ts';
import { FIRST_BUILD } from './fleet.ts';
import { type HistoryFigures, listHistories } from './histories.ts';
import type { ClusterOptions } from './options.ts';
import { judge } from './oracle.ts';
import { type Progress, play } from './play.ts';
import { openStack, type Stack } from './stack.ts';

export interface ClusterReport {
  readonly workers: number;
  readonly runs: number;
  readonly urls: number;
  readonly batches: number;
  /** From the first run's start to the last acceptance. */
  readonly seconds: number;
  readonly urlsPerSecond: number;
  /** In ms, from planned to accepted. */
  readonly fairness: Fairness | null;
  readonly pollLagMs: Spread | null;
  readonly polls: number;
  /** Processor seconds from the first run's start to the last job's end, by kind of process. */
  readonly cpuSeconds: Readonly<Record<string, number>>;
  readonly workerRssMb: Readonly<Record<string, number>>;
  readonly ledgerMbPerMillion: number;
  readonly temporalMbPerMillion: number;
  readonly histories: readonly HistoryFigures[];
  readonly restarts: number;
  readonly stopMs: Spread | null;
  readonly unexpectedEnds: readonly string[];
  readonly complaints: Readonly<Record<string, number>>;
  readonly load: number;
  readonly breaches: readonly string[];
}

const SHOW_MS = 10_000;

/** Starts a cluster, plays runs on it, does to it what the options say, and compares everything afterwards. */
export async function runCluster(
  t: ScriptCleanup,
  options: ClusterOptions,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<ClusterReport> {
  const stack = await openStack(t, options);
  await stack.fleet.add(FIRST_BUILD, options.workers);
  if (options.deploy) await promote(stack, FIRST_BUILD, say);
  const [sizesBefore, cpuBefore] = [await stack.readSizes(), stack.meter.readCpu()];
  const share = options.workerCores === null ? '' : ` of ${options.workerCores} of a core each`;
  say(
    `${options.workers} workers${share}, ${options.watches} watches, ${options.accounts} accounts, ${options.urls} URLs`,
  );
  const show = createProgressLine(stack, say);
  const playing = new AbortController();
  const both = AbortSignal.any([signal, playing.signal]);
  let isDisturbed = true;
  const disturbing = disturb(stack, options, both, say).catch((error: unknown) => {
    playing.abort(error);
    throw error;
  });
  disturbing.then(
    () => {
      isDisturbed = false;
    },
    () => undefined,
  );
  const played = await play(stack, options, { signal: both, onProgress: show, isDisturbed: () => isDisturbed }).catch(
    async (error: unknown) => {
      playing.abort(error);
      await disturbing;
      throw error;
    },
  );
  await disturbing;
  const cpu = stack.meter.readCpu();
  say('compares the service with the sitemaps and the ledger');
  const breaches = [...played.breaches, ...(await judge(stack))];
  if (!options.faults) breaches.push(...stack.fleet.unexpectedEnds);
  const sizes = await stack.readSizes();
  const listed = [...stack.pages.values()].reduce((sum, count) => sum + count, 0);
  const perMillion = (bytes: number) => Math.round((bytes / 2 ** 20 / listed) * 1_000_000);
  const { from, to, batches } = await readBatches(stack);
  const seconds = (to - from) / 1_000;
  return {
    workers: options.workers,
    runs: played.runs,
    urls: listed,
    batches: batches.length,
    seconds,
    urlsPerSecond: Math.round(listed / seconds),
    fairness: computeFairness(batches),
    pollLagMs: computeSpread(stack.log.lags),
    polls: stack.log.lags.length,
    cpuSeconds: Object.fromEntries([...cpu].map(([kind, used]) => [kind, Math.round(used - cpuBefore.get(kind)!)])),
    workerRssMb: Object.fromEntries(stack.meter.readRss('worker')),
    ledgerMbPerMillion: perMillion(sizes.ledger - sizesBefore.ledger),
    temporalMbPerMillion: perMillion(sizes.temporal - sizesBefore.temporal),
    histories: [...(await listHistories(stack.client)), ...(await listHistories(stack.serviceClient))],
    restarts: stack.fleet.restarts,
    stopMs: computeSpread(stack.fleet.stopMs.map(Math.round)),
    unexpectedEnds: stack.fleet.unexpectedEnds,
    complaints: Object.fromEntries([...stack.log.complaints].toSorted(([, a], [, b]) => b - a).slice(0, 15)),
    load: loadavg()[0] ?? 0,
    breaches,
  };
}

async function readBatches({ ledger }: Stack) {
  const rows = await ledger.db.all(sql<Waited>`
    SELECT b.account_id AS account, w.name AS watch, b.accepted_at - b.planned_at AS ${sql`"waitMs"`}
    FROM batches AS b JOIN watches AS w ON w.id = b.watch_id WHERE b.accepted_at IS NOT NULL`);
  const times = await ledger.db.one(sql<{ from: number; to: number }>`
    SELECT (SELECT min(started_at) FROM runs) AS ${sql`"from"`}, (SELECT max(accepted_at) FROM batches) AS ${sql`"to"`}`);
  return { ...times, batches: rows };
}

/** A line every ten seconds: how far it is, and what each kind of process took of a core since the last. */
function createProgressLine({ meter }: Stack, say: (line: string) => void): (progress: Progress) => void {
  const startedAt = Date.now();
  let shown = { at: startedAt, cpu: meter.readCpu(), accepted: 0 };
  return ({ runsStarted, runsEnded, listed, plannedUrls, acceptedUrls, waitingBatches, openJobs }) => {
    const at = Date.now();
    if (at - shown.at < SHOW_MS) return;
    const cpu = meter.readCpu();
    const shares = [...cpu].map(([kind, used]) => {
      const share = ((used - (shown.cpu.get(kind) ?? 0)) / ((at - shown.at) / 1_000)) * 100;
      return `${kind} ${share.toFixed(0)}%`;
    });
    const rate = Math.round(((acceptedUrls - shown.accepted) / (at - shown.at)) * 1_000);
    say(
      `${Math.round((at - startedAt) / 1_000)} s: runs ${runsEnded}/${runsStarted}, URLs ${acceptedUrls} accepted of ` +
        `${plannedUrls} planned of ${listed} listed (${rate}/s), ${waitingBatches} batches wait, ${openJobs} jobs open; ${shares.join(', ')}`,
    );
    shown = { at, cpu, accepted: acceptedUrls };
  };
}
