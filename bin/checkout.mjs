// What a fresh clone needs before TypeScript can run: plain JavaScript without dependencies, for Node 20 or newer.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const WANTED_MAJOR = 24;

/** Installs what package-lock.json names, when node_modules is missing or older than the lock file. */
export function ensureDependencies() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  const lock = join(root, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  process.stderr.write('Installing dependencies (npm ci): about 20 s the first time …\n');
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const run = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (run.status === 0) return;
  process.stderr.write('The dependencies could not be installed; nothing was started. See above for what npm said.\n');
  process.exit(5);
}

/** The pinned Node (a development dependency), or the running one where that is new enough. */
export function pinnedNode() {
  const pinned = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(pinned)) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= WANTED_MAJOR) return process.execPath;
  process.stderr.write(
    `sitemap-courier needs Node ${WANTED_MAJOR}; this is ${process.version}, and the pinned one was not installed ` +
      '(npm skips install scripts here). Run "npm rebuild node", or use a newer Node.\n',
  );
  process.exit(2);
}
