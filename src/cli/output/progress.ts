import { createRequire } from 'node:module';
import type { SingleBar } from 'cli-progress';
import type { Micros } from '../../../contract/money.ts';
import type { Output } from '../../cli-kit/output.ts';
import type { JobProgress } from '../../connector/run-client.ts';
import { WATCH_PHASE } from '../../temporal-api/phases.ts';
import { formatAmount, formatCharge, formatCount } from './format.ts';

/** Progress through the stages of one or several jobs: a bar a stage on a terminal, plain lines elsewhere. */
export interface Stages {
  /** How far a stage of a job is. A total of null is not known yet. The note is shown where there is one job. */
  at(stage: string, job: string, done: number, total: number | null, note?: string): void;
  /** Ends the display; what follows is ordinary output. */
  end(): void;
}

interface Sum {
  readonly done: number;
  readonly total: number | null;
  readonly note: string;
}

interface Display {
  show(stage: string, sum: Sum): void;
  end(): void;
}

const PLAIN_EVERY_MS = 30_000;

const OFTEN_MS = 5_000;

/** Makes what says how far something is, at most every five seconds. */
export function sayOften<Done = number>(output: Output, format: (done: Done) => string): (done: Done) => void {
  let saidAt = Date.now();
  return (done) => {
    if (Date.now() - saidAt < OFTEN_MS) return;
    saidAt = Date.now();
    output.say(format(done));
  };
}

export function openStages(output: Output, jobs: number, now: () => number = Date.now): Stages {
  const display = output.live ? bars() : plainLines(output, now);
  const parts = new Map<string, Map<string, Sum>>();
  return {
    at(stage, job, done, total, note = '') {
      const jobsAtStage = parts.get(stage) ?? new Map<string, Sum>();
      parts.set(stage, jobsAtStage.set(job, { done, total, note }));
      display.show(stage, sum([...jobsAtStage.values()], jobs));
    },
    end: () => display.end(),
  };
}

/** Shows where a run is, stage by stage. */
export function showRunProgress(stages: Stages, watch: string, { phase, read, summary }: JobProgress): void {
  if (phase === WATCH_PHASE.crawling) stages.at('crawl', watch, Math.max(read, summary?.found ?? 0), null);
  if (summary === null || phase === WATCH_PHASE.crawling || phase === WATCH_PHASE.comparing) return;
  stages.at('crawl', watch, summary.found, summary.found, `${formatCount(summary.new)} new`);
  if (summary.batches === 0) return;
  stages.at('plan', watch, summary.planned, summary.planned, formatPlannedCost(summary.plannedCost));
  stages.at('submit', watch, summary.submitted, summary.planned, formatCharge(summary));
  stages.at(
    'track',
    watch,
    summary.completed + summary.failed,
    summary.planned,
    `${formatCount(summary.failed)} failed`,
  );
}

export const formatPlannedCost = (cost: Micros | null): string => `cost ${formatAmount(cost)}`;

/** Unknown as long as one of the jobs does not know its total, or has not begun. */
function sum(parts: readonly Sum[], jobs: number): Sum {
  const done = parts.reduce((sum, part) => sum + part.done, 0);
  const total = parts.reduce<number | null>(
    (sum, part) => (sum === null || part.total === null ? null : sum + part.total),
    0,
  );
  if (jobs === 1) return { done, total, note: parts[0]?.note ?? '' };
  return { done, total: parts.length < jobs ? null : total, note: `${parts.length} of ${jobs} watches` };
}

function bars(): Display {
  // Loaded only for a terminal: a scheduled command draws nothing.
  const { MultiBar, Presets } = createRequire(import.meta.url)('cli-progress') as typeof import('cli-progress');
  const display = new MultiBar(
    {
      format: ' {stage} {bar} {value}/{total} {note}',
      hideCursor: true,
      clearOnComplete: false,
      stream: process.stderr,
      barsize: 24,
    },
    Presets.shades_classic,
  );
  const known = new Map<string, SingleBar>();
  return {
    show(stage, { done, total, note }) {
      const payload = { stage: stage.padEnd(7), note };
      const bar = known.get(stage) ?? display.create(total ?? 1, 0, payload);
      known.set(stage, bar);
      bar.setTotal(Math.max(total ?? done + 1, 1));
      bar.update(total === 0 ? 1 : done, payload);
    },
    end: () => display.stop(),
  };
}

/** A line when a stage starts, one when it is done, and one every 30 s in between. */
function plainLines(output: Output, now: () => number): Display {
  const shown = new Map<string, { at: number; text: string; isDone: boolean }>();
  return {
    show(stage, { done, total, note }) {
      const before = shown.get(stage);
      const isDone = total !== null && done >= total;
      const text = `${formatCount(done)}${total === null ? '' : ` of ${formatCount(total)}`} ${note}`.trimEnd();
      const due = before === undefined || (isDone && !before.isDone) || now() - before.at >= PLAIN_EVERY_MS;
      if (!due || before?.text === text) return;
      shown.set(stage, { at: now(), text, isDone });
      output.say(`  ${stage.padEnd(7)} ${text}`);
    },
    end: () => undefined,
  };
}
