/** Plays the seeds that its parent names, on a virtual platform: started by seed-player.ts. */
import './platform/real-time.ts';
import './platform/module-hooks.ts';
import './platform/install.ts';
import './platform/compile-once.ts';
import { Coverage, type Ran } from '../mutate/coverage.ts';
import { loadChange } from '../mutate/load-change.ts';
import { findMutation, loadMutated } from './mutations/load.ts';
import { Reach } from './mutations/reach.ts';
import type { PlayerSettings } from './seed-player.ts';
import type { Meeting } from './world/meetings.ts';

export interface PlayRequest {
  readonly seed: number;
  /** Prints every line of the trace. */
  readonly trace: boolean;
  /** Shortens the schedule of a seed that breaks a rule. */
  readonly shrink: boolean;
}

export interface PlayedSeed {
  readonly seed: number;
  readonly digest: string;
  readonly breaches: readonly string[];
  /** What known findings explain, by finding. */
  readonly known: readonly (readonly [string, readonly string[]])[];
  /** What its acts met. */
  readonly meetings: readonly Meeting[];
  /** What people did, and how often. */
  readonly happenings: readonly (readonly [string, number])[];
  /** What a reader is shown about it. */
  readonly lines: readonly string[];
  /** Processor time, in milliseconds. */
  readonly cpuMs: number;
  /** It was ended from outside after real time: what it would have shown depends on the machine. */
  readonly isCut?: true;
  /** Mutations whose place has run, where that is asked for. */
  readonly reached?: readonly string[];
  /** Which code has run, where that is asked for. */
  readonly ran?: Ran;
}

const { mutation, change, kind, withAct, showsReach, showsRan } = JSON.parse(
  process.env.COURIER_SIMULATOR!,
) as PlayerSettings;
delete process.env.COURIER_SIMULATOR;
if (mutation !== undefined) loadMutated(findMutation(mutation));
if (change !== undefined) loadChange(change);
const reach = showsReach ? new Reach() : null;
const coverage = showsRan ? new Coverage() : null;
const { play } = await import('./world/play.ts');
const { drawScenario } = await import('./world/draw-scenario.ts');
const { shrink: toShortest } = await import('./world/shrink.ts');
const { describeScenario, isEvent } = await import('./world/describe.ts');

async function playSeed({ seed, trace, shrink }: PlayRequest): Promise<PlayedSeed | null> {
  const began = process.cpuUsage();
  const scenario = drawScenario(seed, kind);
  if (withAct !== undefined && !scenario.acts.some((act) => act.kind === withAct)) return null;
  // Errors are thrown often, and their stacks cost more than most events; messages name them.
  Error.stackTraceLimit = trace ? 10 : 0;
  const played = await play(scenario, trace ? (line) => console.log(line) : null);
  const { digest, breaches, known, events, elapsedMs, charges, meetings, happenings } = played;
  const hours = (elapsedMs / 3_600_000).toFixed(1);
  const lines = [
    `seed ${seed}: ${events} events, ${hours} virtual hours, ${charges} charges, digest ${digest.slice(0, 16)}`,
    ...[...known].flatMap(([finding, texts]) => texts.map((text) => `  known, ${finding}: ${text}`)),
    ...breaches.map((breach) => `  breach: ${breach}`),
  ];
  const [breach] = breaches;
  if (breach !== undefined && shrink) {
    const small = await toShortest(scenario, breach, (each) => play(each));
    lines.push(`The shortest schedule of seed ${seed} that was found:`);
    lines.push(...describeScenario(small).map((line) => `  ${line}`));
    let n = 0;
    await play(small, (line) => {
      if (!isEvent(line)) return;
      n += 1;
      lines.push(`  ${String(n).padStart(3)}. ${line}`);
    });
  }
  const { user, system } = process.cpuUsage(began);
  const cpuMs = (user + system) / 1_000;
  return {
    ...{ seed, digest, breaches, meetings, lines, cpuMs },
    known: [...known],
    happenings: [...happenings],
    ...(reach === null ? {} : { reached: reach.take() }),
    ...(coverage === null ? {} : { ran: coverage.take() }),
  };
}

process.on('message', (request: PlayRequest) => {
  void playSeed(request).then((played) => process.send!(played));
});
process.on('disconnect', () => process.exit());
