import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopProcess } from '../../../src/temporal/dev-server.ts';
import { holdToShare } from './core-share.ts';
import type { Meter } from './meter.ts';
import { ROOT, startProcess } from './process.ts';
import type { WorkerLog } from './worker-log.ts';

/** What a version of the workers is: its name at Temporal, and the checkout that it runs. */
export interface Build {
  readonly id: string;
  readonly root: string;
}

export const DEPLOYMENT = 'cluster';
export const FIRST_BUILD: Build = { id: 'a', root: ROOT };

/** A worker that stops may finish a crawl and a plan first. */
const STOP_MS = 120_000;
/** Another try of a worker whose Temporal server or database is down. */
const RETRY_MS = 1_000;
/** MB of V8's old space, from what a small worker may live with to what it cannot. */
const TOO_LITTLE_MEMORY = [40, 34, 30, 26, 22];

interface Member {
  readonly name: string;
  readonly build: Build;
  readonly duties: readonly string[];
  child: ChildProcess | null;
  /** Whether the fleet itself ends it now, or has. */
  isMeantToEnd: boolean;
  starting: Promise<void>;
}

export interface FleetOptions {
  readonly configFile: string;
  readonly duty: 'all' | 'split';
  /** Whether workers name their build to Temporal. */
  readonly versioned: boolean;
  /** Share of a core that each worker may take once it works; null: what it gets. */
  readonly workerCores: number | null;
  readonly meter: Meter;
  readonly log: WorkerLog;
}

/** The workers of a cluster, kept running as a supervisor would. */
export class Fleet {
  /** Workers that ended although nobody ended them, and how. */
  readonly unexpectedEnds: string[] = [];
  /** How long each ordered stop took, in ms. */
  readonly stopMs: number[] = [];
  restarts = 0;
  readonly #options: FleetOptions;
  #members: Member[] = [];
  #closing = false;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** Starts workers of a build, and resolves when all of them work. */
  async add(build: Build, count: number): Promise<void> {
    const members = Array.from({ length: count }, (_, index) => this.#createMember(build, index));
    this.#members.push(...members);
    await Promise.all(members.map((member) => this.#start(member)));
  }

  /** Stops the workers of a build as an operator does. */
  async remove(build: Build): Promise<void> {
    const leaving = this.#members.filter((member) => member.build === build);
    this.#members = this.#members.filter((member) => member.build !== build);
    await Promise.all(leaving.map((member) => this.#stop(member)));
  }

  /** Stops and starts all workers, one after another. */
  async restartAll(): Promise<void> {
    for (const member of [...this.#members]) {
      if (this.#closing || !this.#members.includes(member)) return;
      await this.#stop(member);
      await this.#start(member);
      this.restarts++;
    }
  }

  /** SIGKILL of one of them, and a start a moment later. */
  async kill(index: number): Promise<string> {
    const member = this.#pick(index);
    await member.starting;
    member.isMeantToEnd = true;
    const { child } = member;
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
    await this.#start(member);
    return member.name;
  }

  /** Replaces one of them by workers with less and less memory, until V8 ends one; then by an ordinary one. */
  async exhaust(index: number, eachMs: number): Promise<string> {
    const member = this.#pick(index);
    let result = 'never ran out of memory';
    for (const mb of TOO_LITTLE_MEMORY) {
      await this.#stop(member);
      const child = await this.#spawn(member, { NODE_OPTIONS: `--max-old-space-size=${mb}` }).catch(() => null);
      const ended = child === null ? 'at its start' : await untilExit(child, eachMs);
      if (ended === null) continue;
      result = `ended ${ended} at ${mb} MB`;
      break;
    }
    await this.#stop(member);
    await this.#start(member);
    return `${member.name} ${result}`;
  }

  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#members.map((member) => this.#stop(member)));
  }

  #pick(index: number): Member {
    return this.#members[index % this.#members.length]!;
  }

  #createMember(build: Build, index: number): Member {
    const { duty, meter } = this.#options;
    const member: Member = {
      name: `${build.id}${index + 1}`,
      build,
      duties: duty === 'all' ? ['all'] : index === 0 ? ['workflows', 'submit', 'track', 'check'] : ['crawl'],
      child: null,
      isMeantToEnd: false,
      starting: Promise.resolve(),
    };
    meter.add('worker', member.name, () => (member.child?.exitCode === null ? (member.child.pid ?? 0) : 0));
    return member;
  }

  #start(member: Member): Promise<void> {
    member.starting = this.#tryToStart(member);
    return member.starting;
  }

  /** What a worker needs may be down at this moment: it is tried again. */
  async #tryToStart(member: Member): Promise<void> {
    for (;;) {
      if (this.#closing) return;
      try {
        member.isMeantToEnd = false;
        const child = await this.#spawn(member, {});
        child.once('exit', (code, signal) => {
          if (member.isMeantToEnd || this.#closing) return;
          this.unexpectedEnds.push(`${member.name} ended with ${signal ?? `code ${code}`}`);
          void this.#start(member);
        });
        return;
      } catch (error) {
        this.unexpectedEnds.push(`${member.name} did not start: ${(error as Error).message.slice(0, 400)}`);
        await sleep(RETRY_MS);
      }
    }
  }

  async #spawn(member: Member, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
    const { configFile, versioned, workerCores, log } = this.#options;
    const version = versioned ? ['--deployment', DEPLOYMENT, '--build', member.build.id] : [];
    const { child } = await startProcess({
      file: join(member.build.root, 'src/cli/main.ts'),
      args: ['worker', '--config', configFile, '--json', '--verbose', '--duty', ...member.duties, ...version],
      env: { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node'), ...env },
      ready: 'ready',
      onErrorLine: (line) => log.take(line),
    });
    if (workerCores !== null) holdToShare(child, workerCores);
    member.child = child;
    return child;
  }

  async #stop(member: Member): Promise<void> {
    await member.starting.catch(() => undefined);
    member.isMeantToEnd = true;
    if (member.child === null) return;
    const from = performance.now();
    await stopProcess(member.child, STOP_MS);
    this.stopMs.push(performance.now() - from);
  }
}

/** How it ended; null: it did not. */
async function untilExit(child: ChildProcess, atMostMs: number): Promise<string | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const over = new AbortController();
    await Promise.race([once(child, 'exit'), sleep(atMostMs, undefined, { signal: over.signal })]).finally(() =>
      over.abort(),
    );
  }
  if (child.exitCode === null && child.signalCode === null) return null;
  return `with ${child.signalCode ?? `code ${child.exitCode}`}`;
}
