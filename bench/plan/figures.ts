import { readFileSync } from 'node:fs';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';

const TICK_MS = 5;
const TICKS_PER_SECOND = 100;

/** What a step took so far, in seconds, milliseconds where the name says so, and bytes. */
interface Taken {
  readonly wall: number;
  readonly cpu: number;
  /** Of the connections of a Postgres on this machine; 0 where its processes are elsewhere. */
  readonly serverCpu: number;
  /** Of its log. */
  readonly log: number;
  /** How long the event loop was held at most: by the clock, and in CPU time, which other work does not lengthen. */
  readonly holdMs: number;
  readonly holdCpuMs: number;
  readonly rss: number;
  readonly done: boolean;
}

/** Figures of steps, kept in the ledger itself: a later process adds to them. */
export interface Figures {
  isDone(name: string): Promise<boolean>;
  /** Measures work that says whether it is done. */
  measure(name: string, work: () => Promise<boolean>): Promise<boolean>;
  /** Does work of the benchmark itself: what is measured does not count it. */
  leaveOut<T>(work: () => T): T;
  /** The steps of a run together, for a million URLs. */
  printSum(run: string, urls: number): Promise<void>;
}

const NOTHING: Taken = {
  ...{ wall: 0, cpu: 0, serverCpu: 0, log: 0, holdMs: 0, holdCpuMs: 0, rss: 0 },
  done: false,
};

const seconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;

export async function openFigures(db: Database): Promise<Figures> {
  const onPostgres = db.dialect === 'postgres';

  async function read(name: string): Promise<Taken> {
    const row = await db.get(sql<{ value: string }>`SELECT value FROM ledger_settings WHERE name = ${`bench ${name}`}`);
    return row === undefined ? NOTHING : JSON.parse(row.value);
  }

  const write = (name: string, taken: Taken) =>
    db.run(sql`
      INSERT INTO ledger_settings (name, value) VALUES (${`bench ${name}`}, ${JSON.stringify(taken)})
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`);

  /** CPU seconds so far of each connection, by its process. The pool closes one that is idle, so they change. */
  async function readServer(): Promise<{ readonly cpu: number; readonly log: number }> {
    if (!onPostgres) return { cpu: 0, log: 0 };
    const { pid, log } = await db.one(sql<{ pid: number; log: number }>`
      SELECT pg_backend_pid() AS pid, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS log`);
    return { cpu: readCpu(pid), log };
  }

  /** Seconds that were left out since the measurement began. */
  let left = { wall: 0, cpu: 0 };

  return {
    leaveOut(work) {
      const [began, cpu] = [performance.now(), process.cpuUsage()];
      const result = work();
      left = { wall: left.wall + (performance.now() - began) / 1_000, cpu: left.cpu + seconds(process.cpuUsage(cpu)) };
      return result;
    },
    isDone: async (name) => (await read(name)).done,
    async measure(name, work) {
      const before = await read(name);
      let [holdMs, holdCpuMs, rss] = [before.holdMs, before.holdCpuMs, before.rss];
      let [at, cpuAt] = [performance.now(), seconds(process.threadCpuUsage())];
      const tick = () => {
        const [now, cpuNow] = [performance.now(), seconds(process.threadCpuUsage())];
        holdMs = Math.max(holdMs, now - at - TICK_MS);
        holdCpuMs = Math.max(holdCpuMs, (cpuNow - cpuAt) * 1_000);
        rss = Math.max(rss, process.memoryUsage.rss());
        [at, cpuAt] = [now, cpuNow];
      };
      const ticker = setInterval(tick, TICK_MS);
      left = { wall: 0, cpu: 0 };
      const [began, cpu, server] = [performance.now(), process.cpuUsage(), await readServer()];
      const done = await work();
      tick();
      clearInterval(ticker);
      const after = await readServer();
      const taken: Taken = {
        wall: before.wall + (performance.now() - began) / 1_000 - left.wall,
        cpu: before.cpu + seconds(process.cpuUsage(cpu)) - left.cpu,
        serverCpu: before.serverCpu + after.cpu - server.cpu,
        log: before.log + after.log - server.log,
        ...{ holdMs, holdCpuMs, rss, done },
      };
      await write(name, taken);
      process.stdout.write(`${name.padEnd(15)} ${toText(taken, onPostgres)}${done ? '' : ', not done'}\n`);
      return done;
    },
    async printSum(run, urls) {
      const steps = await Promise.all(['crawl', 'diff', 'judge', 'plan'].map((step) => read(`${run}: ${step}`)));
      const sum = (key: 'wall' | 'cpu' | 'serverCpu') =>
        ((steps.reduce((total, step) => total + step[key], 0) * 1e6) / urls).toFixed(1);
      const server = onPostgres ? ` and ${sum('serverCpu')} s of Postgres` : '';
      process.stdout.write(`${run}: ${sum('wall')} s a million URLs, CPU ${sum('cpu')} s${server}\n`);
    },
  };
}

function readCpu(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

function toText({ wall, cpu, serverCpu, log, holdMs, holdCpuMs, rss }: Taken, onPostgres: boolean): string {
  return [
    `${wall.toFixed(1)} s`,
    `CPU ${cpu.toFixed(1)} s`,
    ...(onPostgres ? [`CPU of Postgres ${serverCpu.toFixed(1)} s`, `its log ${(log / 2 ** 20).toFixed(0)} MiB`] : []),
    `longest hold ${holdMs.toFixed(0)} ms (CPU ${holdCpuMs.toFixed(0)} ms)`,
    `RSS ${(rss / 2 ** 20).toFixed(0)} MiB`,
  ].join(', ');
}
