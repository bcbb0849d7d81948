import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { makeFolder } from '../files/make-folder.ts';

/** The CLI whose dev server we were built against: server 1.29.1, Web UI 2.42.1. Newer ones cannot be built with go install. */
export const TEMPORAL_CLI_VERSION = 'v1.5.1';

export type Say = (line: string) => void;

export class NoTemporalServerError extends Error {
  override readonly name = 'NoTemporalServerError';
}

const EXE = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

/** Per user, so that the next clone neither downloads nor builds it again. */
function cacheFolder(): string {
  const base =
    process.env.XDG_CACHE_HOME ??
    (process.platform === 'win32' ? process.env.LOCALAPPDATA : undefined) ??
    join(homedir(), '.cache');
  return join(base, 'sitemap-courier', `temporal-${TEMPORAL_CLI_VERSION}`);
}

/**
 * Finds a `temporal` binary, in this order: TEMPORAL_CLI, the PATH, our per-user cache, Go's own bin folder, a
 * download, `go install` (about three minutes, once). Throws NoTemporalServerError with every reason when none works.
 */
export async function findTemporalBinary(say: Say): Promise<string> {
  const found = findInstalled();
  if (found !== undefined) return found;
  const reasons: string[] = [];
  for (const way of [download, goInstall]) {
    try {
      return await way(say);
    } catch (error) {
      reasons.push((error as Error).message);
    }
  }
  throw new NoTemporalServerError(
    `No Temporal server could be found, downloaded or built, so nothing was started and nothing was charged.\n` +
      `${reasons.map((reason) => `  - ${reason}`).join('\n')}\n` +
      'Install the Temporal CLI (https://docs.temporal.io/cli) or Go, set XDG_CACHE_HOME to a folder that can be written, ' +
      'or set TEMPORAL_ADDRESS to a running server.',
  );
}

/** The one that TEMPORAL_CLI names, else the first that is installed; undefined: none is. Throws where the named one cannot be run. */
function findInstalled(): string | undefined {
  const named = process.env.TEMPORAL_CLI;
  if (named === undefined || named === '')
    return [...onPath(EXE), join(cacheFolder(), EXE), ...goFolders().map((folder) => join(folder, EXE))].find(runnable);
  if (runnable(named)) return named;
  throw new NoTemporalServerError(
    `TEMPORAL_CLI names ${named}, which cannot be run. Nothing was started. Correct TEMPORAL_CLI, or unset it.`,
  );
}

/** Where the next command that needs a server of its own finds its binary. Downloads and builds nothing. */
export type BinarySource =
  | { readonly kind: 'installed'; readonly path: string }
  /** It is downloaded or built into this folder. */
  | { readonly kind: 'fetched'; readonly folder: string }
  /** It would find none, and could keep none. */
  | { readonly kind: 'none'; readonly why: string };

export function findBinarySource(): BinarySource {
  try {
    const path = findInstalled();
    if (path !== undefined) return { kind: 'installed', path };
    const folder = cacheFolder();
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
    return { kind: 'fetched', folder };
  } catch (error) {
    const why = (error as Error).message;
    const isNamed = error instanceof NoTemporalServerError;
    return { kind: 'none', why: isNamed ? why : `no Temporal CLI is installed, and none can be kept: ${why}` };
  }
}

function runnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function onPath(name: string): string[] {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name));
}

function goFolders(): string[] {
  const folders = [
    process.env.GOBIN,
    process.env.GOPATH && join(process.env.GOPATH, 'bin'),
    join(homedir(), 'go', 'bin'),
  ];
  return folders.filter((folder) => folder !== undefined && folder !== '').map(String);
}

async function download(say: Say): Promise<string> {
  const platform = { linux: 'linux', darwin: 'darwin', win32: 'windows' }[process.platform as string];
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  if (platform === undefined || arch === undefined)
    throw new Error(`no download for ${process.platform} ${process.arch}`);
  const url = `https://temporal.download/cli/archive/${TEMPORAL_CLI_VERSION}?platform=${platform}&arch=${arch}`;
  say(`Downloading the Temporal server (once, about 30 MB) …`);
  const folder = cacheFolder();
  makeFolder(folder);
  let bytes: ArrayBuffer;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(120_000) });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    bytes = await answer.arrayBuffer();
  } catch (error) {
    const cause = (error as Error).cause as Error | undefined;
    throw new Error(`the download from temporal.download failed: ${cause?.message ?? (error as Error).message}`);
  }
  await run('tar', ['-xzf', '-', '-C', folder, EXE], { input: Buffer.from(bytes) });
  return join(folder, EXE);
}

async function goInstall(say: Say): Promise<string> {
  const target = `github.com/temporalio/cli/cmd/temporal@${TEMPORAL_CLI_VERSION}`;
  const folder = cacheFolder();
  // Built beside its target and moved as a whole: an interrupted build never leaves a partial server in the cache.
  const building = join(folder, `building-${process.pid}`);
  makeFolder(building);
  say('Building the Temporal server with Go (once, usually about 3 minutes) …');
  const start = Date.now();
  const ticker = setInterval(() => {
    say(`  still building the Temporal server, ${Math.round((Date.now() - start) / 1000)} s so far …`);
  }, 30_000);
  try {
    await run('go', ['install', target], { env: { ...process.env, GOBIN: building } });
  } catch (error) {
    throw new Error(`"go install" failed: ${(error as Error).message}`);
  } finally {
    clearInterval(ticker);
  }
  const built = join(folder, EXE);
  if (!existsSync(built)) renameSync(join(building, EXE), built);
  say(`Built the Temporal server in ${Math.round((Date.now() - start) / 1000)} s. Later runs use this build.`);
  return built;
}

function run(
  command: string,
  args: readonly string[],
  options: { input?: Buffer; env?: NodeJS.ProcessEnv },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'pipe'], env: options.env ?? process.env });
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(-500);
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input);
    child.on('error', (error: NodeJS.ErrnoException) => {
      reject(new Error(error.code === 'ENOENT' ? `${command} is not installed` : error.message));
    });
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(complaint.trim() || `exit code ${code}`))));
  });
}
