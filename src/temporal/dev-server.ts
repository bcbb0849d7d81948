import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePrivateFolder } from '../files/make-folder.ts';
import { makePrivate } from '../files/make-private.ts';
import { createStartFinder, hasStarted, isPortTaken } from './dev-server-output.ts';
import { freePort } from './free-port.ts';
import { ServerStartError } from './server-start-error.ts';

export interface DevServerOptions {
  readonly binary: string;
  /** The server's state file. A restart on the same file loses nothing. Absent: in memory. */
  readonly file?: string;
  /**
   * The server's log file. With it the server can outlive this process; without it the server writes into our pipe and
   * would be killed by its first line after we exit.
   */
  readonly logFile?: string;
  /** Preferred ports; a free one replaces a port in use. */
  readonly port?: number;
  readonly uiPort?: number;
  /** Without a Web UI (tests). */
  readonly headless?: boolean;
}

export interface DevServer {
  readonly address: string;
  readonly port: number;
  readonly uiPort: number | null;
  /** http://127.0.0.1:PORT of the Web UI. */
  readonly uiUrl: string | null;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** More than a start prints; the first line of a failed start holds the reason. */
const MOST_OUTPUT = 10_000;

/** Enables priorities and fairness keys on a local server; with one partition the queue order is exact. */
const DYNAMIC_CONFIG = [
  'matching.enableFairness=true',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'system.forceSearchAttributesCacheRefreshOnRead=true',
];

/**
 * The server's own journal writes and flushes several files for each step of a workflow. A write-ahead log flushes one, before
 * the step is confirmed too: half the time, and two thirds of the processor time.
 */
const PRAGMAS = ['journal_mode=WAL', 'synchronous=FULL'];

/**
 * Starts a Temporal server on loopback and resolves when it responds. Another program may take a port between the choice
 * and the start: then another port is chosen. Throws when the server ends or does not respond within 30 s.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (attempt >= MOST_STARTS || !(error instanceof ServerStartError) || !isPortTaken(error.output)) throw error;
    }
  }
}

/** Each start chooses ports that are free at that time. */
const MOST_STARTS = 5;

async function startOnce(options: DevServerOptions): Promise<DevServer> {
  const port = await freePort(options.port);
  const uiPort = options.headless ? null : await freePort(options.uiPort);
  if (options.file !== undefined) {
    makePrivateFolder(dirname(options.file));
    makePrivate(options.file);
  }
  const args = [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'error'],
    ...(uiPort === null ? ['--headless'] : ['--ui-ip', '127.0.0.1', '--ui-port', String(uiPort)]),
    ...(options.file === undefined
      ? []
      : ['--db-filename', options.file, ...PRAGMAS.flatMap((pragma) => ['--sqlite-pragma', pragma])]),
    ...DYNAMIC_CONFIG.flatMap((setting) => ['--dynamic-config-value', setting]),
  ];
  // A process group of its own: Ctrl-C must reach the workers first, so that they can still report.
  const { child, readOutput, isStarted } = spawnServer(options, args);
  const address = `127.0.0.1:${port}`;
  try {
    await untilAnswers(address, child, isStarted);
  } catch (error) {
    await stopProcess(child);
    throw new ServerStartError((error as Error).message, readOutput(), options.file ?? null);
  }
  return {
    address,
    port,
    uiPort,
    uiUrl: uiPort === null ? null : `http://127.0.0.1:${uiPort}`,
    process: child,
    stop: () => stopProcess(child),
  };
}

/** The server's files hold what workflows are given: nobody but their owner may read what the new process makes. */
function withPrivateFiles<T>(start: () => T): T {
  const before = process.umask(0o077);
  try {
    return start();
  } finally {
    process.umask(before);
  }
}

function spawnServer(
  { binary, logFile }: DevServerOptions,
  args: readonly string[],
): { readonly child: ChildProcess; readOutput(): string; isStarted(): boolean } {
  const detached = process.platform !== 'win32';
  if (logFile !== undefined) {
    const log = openSync(logFile, 'w', 0o600);
    const child = withPrivateFiles(() => spawn(binary, args, { stdio: ['ignore', log, log], detached }));
    closeSync(log);
    child.unref();
    const read = () => readFileSync(logFile, 'utf8');
    return { child, readOutput: () => read().slice(0, MOST_OUTPUT), isStarted: () => hasStarted(read()) };
  }
  const child = withPrivateFiles(() => spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'], detached }));
  let output = '';
  let started = false;
  for (const stream of [child.stdout, child.stderr]) {
    const find = createStartFinder();
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(0, MOST_OUTPUT);
      started ||= find(chunk.toString());
    });
  }
  return { child, readOutput: () => output, isStarted: () => started };
}

/**
 * Waits until the server says that it has its port. A response at the address proves nothing: two programs that start in
 * the same second choose the same port, and one would take the other's server for its own.
 */
async function untilAnswers(address: string, child: ChildProcess, isStarted: () => boolean): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(50)) {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}.`);
    if (isStarted() && (await answers(address))) return;
  }
  throw new Error('no response within 30 s.');
}

/** Whether a Temporal server at this address is ready to serve the default namespace. */
export async function answers(address: string): Promise<boolean> {
  if (!(await listens(address))) return false;
  try {
    // Loaded here: whoever only asks for the address of a server needs none of the SDK.
    const { Connection } = await import('@temporalio/client');
    const connection = await Connection.connect({ address, connectTimeout: 2_000 });
    try {
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      return true;
    } finally {
      await connection.close();
    }
  } catch (error) {
    // No server, or one that is not ready.
    if (error instanceof Error) return false;
    throw error;
  }
}

function listens(address: string): Promise<boolean> {
  const [host, port] = address.split(':');
  return new Promise((resolve) => {
    const socket = connect({ host: host ?? '', port: Number(port) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** SIGTERM, and SIGKILL after five seconds. Resolves when the process is gone. */
export async function stopProcess(child: ChildProcess, graceMs = 5_000): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await gone;
  clearTimeout(timer);
}
