import { MultiBar, Presets, type SingleBar } from 'cli-progress';
import type { Output } from '../output.ts';

/** Progress through the stages of a job: a bar each on a terminal, plain lines elsewhere. */
export interface Stages {
  /** How far a stage is. A total of null is not known yet. */
  at(stage: string, done: number, total: number | null, note?: string): void;
  /** Ends the display; what follows is ordinary output. */
  end(): void;
}

const PLAIN_EVERY_MS = 30_000;

export function openStages(output: Output, now: () => number = Date.now): Stages {
  return output.live ? bars() : plainLines(output, now);
}

function bars(): Stages {
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
    at(stage, done, total, note = '') {
      const payload = { stage: stage.padEnd(12), note };
      const bar = known.get(stage) ?? display.create(total ?? 1, 0, payload);
      known.set(stage, bar);
      bar.setTotal(Math.max(total ?? done + 1, 1));
      bar.update(total === 0 ? 1 : done, payload);
    },
    end: () => display.stop(),
  };
}

/** A line when a stage starts and when it is done, and one every 30 s in between. */
function plainLines(output: Output, now: () => number): Stages {
  const said = new Map<string, { at: number; done: boolean }>();
  return {
    at(stage, done, total, note = '') {
      const before = said.get(stage);
      const isDone = total !== null && done >= total;
      if (before?.done || (before !== undefined && !isDone && now() - before.at < PLAIN_EVERY_MS)) return;
      said.set(stage, { at: now(), done: isDone });
      output.say(
        `  ${stage.padEnd(12)} ${done.toLocaleString('en-US')}${total === null ? '' : ` of ${total.toLocaleString('en-US')}`} ${note}`.trimEnd(),
      );
    },
    end: () => undefined,
  };
}
