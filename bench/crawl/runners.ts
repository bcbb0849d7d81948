import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const benchFolder = fileURLToPath(new URL('..', import.meta.url));
const peersFolder = join(benchFolder, '.peers');
const here = (file: string) => join(benchFolder, 'crawl', 'peers', file);

/** One crawler as a process: called with a URL, it prints what `Measured` says. */
export interface Runner {
  readonly name: string;
  readonly command: readonly string[];
  /** The same where every loc is kept for the digest, and so a small heap will not do. */
  readonly digestCommand?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const NODE_PEERS = ['sitemapper@4.1.6', '@crawlee/utils@3.18.1', 'sitemap@9.0.1'];
const PYTHON_PEERS = ['scrapy==2.19.0', 'ultimate-sitemap-parser==1.8.1', 'advertools==0.18.0'];

/** What bin/courier.mjs starts `courier crawl` with: a small heap, and code that is compiled once. */
export const OUR_FLAGS = ['--max-semi-space-size=8', '--max-old-space-size=96'];

export function ours(): Runner {
  const command = ['--disable-warning=ExperimentalWarning', here('ours.ts')];
  return {
    name: 'sitemap-courier',
    command: [process.execPath, ...OUR_FLAGS, ...command],
    digestCommand: [process.execPath, ...command],
    env: { NODE_COMPILE_CACHE: join(benchFolder, '..', 'node_modules', '.cache', 'node') },
  };
}

/** Installs the peers into bench/.peers, the first time. What cannot be installed is left out with a line. */
export function peers(): Runner[] {
  return [...nodePeers(), ...pythonPeers()];
}

function nodePeers(): Runner[] {
  const folder = join(peersFolder, 'node');
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const missing = NODE_PEERS.filter((peer) => !existsSync(join(folder, 'node_modules', peer.replace(/@[^@]+$/, ''))));
  if (
    missing.length > 0 &&
    !installs('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...NODE_PEERS], folder)
  ) {
    process.stdout.write('The Node peers could not be installed: left out.\n');
    return [];
  }
  return ['sitemapper', 'crawlee', 'sitemap.js'].map((name) => ({
    name,
    command: [process.execPath, here('node-peers.mjs'), folder, name],
  }));
}

function pythonPeers(): Runner[] {
  const folder = join(peersFolder, 'python');
  const python = join(folder, 'bin', 'python');
  if (!existsSync(join(folder, 'installed'))) {
    const done =
      installs('python3', ['-m', 'venv', folder], peersFolder) &&
      installs(python, ['-m', 'pip', 'install', '-q', ...PYTHON_PEERS], peersFolder);
    if (!done) {
      process.stdout.write(
        'There is no python3 with venv and pip here, or its peers could not be installed: left out.\n',
      );
      return [];
    }
    writeFileSync(join(folder, 'installed'), PYTHON_PEERS.join('\n'));
  }
  return ['scrapy', 'ultimate-sitemap-parser', 'advertools'].map((name) => ({
    name,
    command: [python, here('python_peers.py'), name],
  }));
}

function installs(command: string, args: readonly string[], cwd: string): boolean {
  process.stdout.write(`installing: ${command} ${args.slice(0, 3).join(' ')} …\n`);
  return spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}
