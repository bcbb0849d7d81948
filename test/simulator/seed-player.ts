import { type ChildProcess, fork } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Change } from '../mutate/load-change.ts';
import type { PlayedSeed, PlayRequest } from './play-seeds.ts';
import type { SeedKind } from './world/draw-scenario.ts';

const PROGRAM = fileURLToPath(new URL('./play-seeds.ts', import.meta.url));
/** The simulation makes much garbage and keeps little: a larger nursery collects it for less. */
const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32'];
/** A seed that takes longer goes round in a circle that neither the count of events nor that of calls ends. */
const MOST_MS = 300_000;
const MOST_MUTATED_MS = 240_000;

export interface PlayerSettings {
  /** Plays with this deliberate defect. */
  readonly mutation?: string | undefined;
  /** Plays with this change, which nobody chose: see test/mutate. */
  readonly change?: Change | undefined;
  /** Real time of a seed at most, in place of that of the simulator. */
  readonly mostMs?: number;
  readonly kind: SeedKind;
  /** Seeds without this act are skipped. */
  readonly withAct?: string | undefined;
  /** Says of each seed which mutations it can find. */
  readonly showsReach?: boolean;
  /** Says of each seed which code it runs. */
  readonly showsRan?: boolean;
}

/** A process of its own that plays one seed after the other. */
export class SeedPlayer {
  readonly #settings: PlayerSettings;
  #child: ChildProcess | null = null;

  constructor(settings: PlayerSettings) {
    this.#settings = settings;
  }

  /** Null: the seed is skipped. A process that dies or never answers broke every rule. */
  play(seed: number, { trace = false, shrink = false } = {}): Promise<PlayedSeed | null> {
    this.#child ??= this.#start();
    const child = this.#child;
    return new Promise((resolve) => {
      const settle = (played: PlayedSeed | null) => {
        clearTimeout(timer);
        child.removeAllListeners();
        resolve(played);
      };
      const fail = (why: string, more: Pick<PlayedSeed, 'isCut'> = {}) => {
        child.kill('SIGKILL');
        this.#child = null;
        settle({
          seed,
          digest: '',
          breaches: [why],
          known: [],
          meetings: [],
          happenings: [],
          lines: [],
          cpuMs: 0,
          ...more,
        });
      };
      const mostMs = this.#settings.mostMs ?? (this.#settings.mutation === undefined ? MOST_MS : MOST_MUTATED_MS);
      const timer = setTimeout(
        () => fail(`the seed did not end within ${mostMs / 1_000} s`, { isCut: true }),
        shrink ? 2 ** 31 - 1 : mostMs,
      );
      child.once('message', (answer) => settle(answer as PlayedSeed | null));
      child.once('exit', (code, signal) => fail(`the program ended with ${signal ?? code}`));
      child.send({ seed, trace, shrink } satisfies PlayRequest);
    });
  }

  #start(): ChildProcess {
    const { mutation, change, kind, withAct, showsReach = false, showsRan = false } = this.#settings;
    return fork(PROGRAM, [], {
      execArgv: NODE_OPTIONS,
      env: {
        ...process.env,
        // The next process loads what this one has compiled.
        NODE_COMPILE_CACHE: join(tmpdir(), 'courier-simulator-code'),
        COURIER_SIMULATOR: JSON.stringify({ mutation, change, kind, withAct, showsReach, showsRan }),
      },
      stdio: ['ignore', 'inherit', mutation === undefined && change === undefined ? 'inherit' : 'ignore', 'ipc'],
    });
  }

  close(): void {
    this.#child?.disconnect();
    this.#child = null;
  }
}
