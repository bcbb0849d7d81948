import { listChildren, readProcess } from '../../../bench/idle/process-figures.ts';

export const KINDS = ['worker', 'service', 'temporal', 'postgres', 'site'] as const;
export type Kind = (typeof KINDS)[number];

const SAMPLE_MS = 1_000;

/** A process, or a process and its children, whose processor time counts for its kind. */
interface Metered {
  readonly kind: Kind;
  /** Which one of its kind: a worker keeps its name when it is started again. */
  readonly name: string;
  readonly pid: () => number;
  readonly withChildren: boolean;
  /** Of the processes that ended, and the last reading of the one that runs. */
  ended: number;
  last: { pid: number; cpuMs: number };
  mostRssMb: number;
}

/** Processor time and memory of the processes of a cluster, by kind; also of those that have ended. Linux only. */
export class Meter {
  readonly #metered: Metered[] = [];
  readonly #harness = process.cpuUsage();
  readonly #timer = setInterval(() => this.sample(), SAMPLE_MS);

  /** `pid`: of the process of now; 0 while there is none. */
  add(kind: Kind, name: string, pid: () => number, withChildren = false): void {
    this.#metered.push({ kind, name, pid, withChildren, ended: 0, last: { pid: 0, cpuMs: 0 }, mostRssMb: 0 });
  }

  sample(): void {
    for (const each of this.#metered) {
      const pid = each.pid();
      const read = pid === 0 ? null : readTree(pid, each.withChildren);
      if (read === null) continue;
      // A process that ended since is counted up to its last sample.
      if (pid !== each.last.pid) each.ended += each.last.cpuMs;
      each.last = { pid, cpuMs: pid === each.last.pid ? Math.max(each.last.cpuMs, read.cpuMs) : read.cpuMs };
      each.mostRssMb = Math.max(each.mostRssMb, read.rssMb);
    }
  }

  /** Processor seconds by kind, since the start. */
  readCpu(): ReadonlyMap<Kind | 'harness', number> {
    this.sample();
    const used = new Map<Kind | 'harness', number>(KINDS.map((kind) => [kind, 0]));
    for (const { kind, ended, last } of this.#metered)
      used.set(kind, (used.get(kind) ?? 0) + (ended + last.cpuMs) / 1_000);
    const { user, system } = process.cpuUsage(this.#harness);
    return used.set('harness', (user + system) / 1_000_000);
  }

  /** Most memory that each process of a kind had, in MB. */
  readRss(kind: Kind): ReadonlyMap<string, number> {
    return new Map(
      this.#metered.filter((each) => each.kind === kind).map(({ name, mostRssMb }) => [name, Math.round(mostRssMb)]),
    );
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** Null when it has ended. */
function readTree(pid: number, withChildren: boolean): { cpuMs: number; rssMb: number } | null {
  try {
    const { cpuMs, rssMb, childrenCpuMs } = readProcess(pid);
    if (!withChildren) return { cpuMs, rssMb };
    const children = listChildren(pid).map((child) => readTree(child, false)?.cpuMs ?? 0);
    return { cpuMs: cpuMs + childrenCpuMs + children.reduce((sum, ms) => sum + ms, 0), rssMb };
  } catch {
    return null;
  }
}
