// Starts a program: its sources in a checkout, its compiled JavaScript in an installed package. Plain JavaScript without
// dependencies, because a fresh clone has none yet.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { constants, homedir } from 'node:os';
import { join } from 'node:path';
import { ensureDependencies, pinnedNode, root } from './checkout.mjs';

/** The oldest minor release of each major one that has what the programs need: node:sqlite, and agents with proxies. */
const OLDEST_NODE = { 22: 21, 24: 5 };

/** How to run the module `entry` (without its extension): the Node, the file, and where V8 keeps compiled code; null: nowhere. */
function findProgram(entry) {
  const source = join(root, `${entry}.ts`);
  if (existsSync(source)) {
    ensureDependencies();
    return { node: pinnedNode(), file: source, cache: join(root, 'node_modules', '.cache', 'node') };
  }
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 25 && !(minor >= OLDEST_NODE[major])) {
    process.stderr.write(
      `sitemap-courier needs Node 22.21, 24.5 or newer; this is ${process.version}. Nothing was started.\n`,
    );
    process.exit(2);
  }
  const caches = process.env.XDG_CACHE_HOME ?? process.env.LOCALAPPDATA ?? join(homedir(), '.cache');
  return {
    node: process.execPath,
    file: join(root, 'dist', `${entry}.js`),
    cache: canHold(caches) ? join(caches, 'sitemap-courier', 'node') : null,
  };
}

/** Whether the folder is there or can be made. Node never ends trying to make one below /proc (HOME=/proc). */
function canHold(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch ({ code }) {
    return code === 'EEXIST';
  }
}

/** A crash report of Node lists the environment, where the API key may be: here and in the program. */
process.report.excludeEnv = true;
const ALWAYS = ['--disable-warning=ExperimentalWarning', '--report-exclude-env'];

/** Runs a program in a process of its own (Node with `flags`) and ends as it ends. */
export function launch(entry, args, flags = []) {
  const { node, file, cache } = findProgram(entry);
  const child = spawn(node, [...flags, ...ALWAYS, file, ...args], {
    // The channel tells the program when this process is killed.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // A process group of its own, so that Ctrl-C reaches this process alone and every signal is handed on once.
    detached: process.platform !== 'win32',
    // Code once read and compiled is kept: every later command starts in half the time.
    env: { ...(cache === null ? {} : { NODE_COMPILE_CACHE: cache }), ...process.env },
  });
  // The child decides what a signal means; this process waits for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (process.platform !== 'win32') {
    process.on('SIGTSTP', () => {
      child.kill('SIGSTOP');
      process.kill(process.pid, 'SIGSTOP');
    });
    process.on('SIGCONT', () => child.kill('SIGCONT'));
  }
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}
