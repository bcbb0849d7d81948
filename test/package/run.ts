/**
 * npm run test:package: packs the package, installs it in an empty folder without install scripts, and runs its programs
 * with Node 22 and Node 24, the exported client, the demo and the transcript of a new user included. Needs the package
 * registry: about five minutes. `-- --client`: the exported client only.
 */
import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileClient, tryClient } from './client-project.ts';
import { replayTranscript } from './transcript.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'courier-package-'));
const OTHER_NODE = '22';
/** Compressed: half a megabyte of it are pictures of the guides, another is the workflow code with traces. What nobody needs would show here. */
const LARGEST_PACKAGE = 5_000_000;

try {
  const tarball = pack();
  const app = join(folder, 'app');
  install(app, [tarball]);
  install(join(folder, 'node'), [`node@${OTHER_NODE}`], []);
  const nodes = [process.execPath, join(folder, 'node/node_modules/node/bin/node')];
  log('the exported client in a project of its own');
  const own = join(folder, 'client');
  install(own, [tarball, `typescript@${versionOf('typescript')}`, `@types/node@${versionOf('@types/node')}`]);
  compileClient(own);
  for (const node of nodes) await tryClient(node, own);
  if (!process.argv.includes('--client')) await tryAll(nodes, app);
  log('ok');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function tryAll(nodes: readonly string[], app: string): Promise<void> {
  for (const node of nodes) tryPrograms(node, app);
  log('the transcript of a new user');
  const typing = performance.now();
  await replayTranscript(nodes[0]!, app, (line) => log(`  ${line}`));
  const minutes = (performance.now() - typing) / 60_000;
  log(`from init to report in ${minutes.toFixed(1)} minutes`);
  assert.ok(minutes < 5, 'a new user needs longer than five minutes');
  log('the demo, installed');
  const demo = run(nodes[1]!, ['node_modules/.bin/courier', 'demo', '--once'], app);
  assert.equal(demo.status, 0, demo.stdout + demo.stderr);
  assert.match(demo.stdout + demo.stderr, /npx courier demo --once/);
}

function versionOf(name: 'typescript' | '@types/node'): string {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  return devDependencies[name] ?? assert.fail(`${name} is no development dependency`);
}

function log(line: string): void {
  console.log(`package: ${line}`);
}

function pack(): string {
  log('npm pack');
  const { status, stdout, stderr } = run('npm', ['pack', '--json', '--pack-destination', folder], root);
  assert.equal(status, 0, stderr);
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { filename: string; size: number; files: { path: string }[] },
  ];
  log(`${packed.filename}: ${packed.files.length} files, ${(packed.size / 1e6).toFixed(1)} MB compressed`);
  assert.ok(packed.size < LARGEST_PACKAGE, 'the package holds more than it needs');
  const unwanted = packed.files.filter(({ path }) => /(^|\/)(test|bench|\.ci)\/|\.test\.|[^d]\.ts$/.test(path));
  assert.deepEqual(unwanted, [], 'no sources, no tests');
  return join(folder, packed.filename);
}

function install(into: string, packages: readonly string[], options = ['--ignore-scripts']): void {
  log(`npm install ${packages.map((each) => each.replace(`${folder}/`, '')).join(' ')}`);
  mkdirSync(into);
  writeFileSync(join(into, 'package.json'), '{ "private": true }\n');
  const { status, stdout, stderr } = run(
    'npm',
    ['install', ...packages, ...options, '--no-audit', '--no-fund', '--loglevel=error'],
    into,
  );
  assert.equal(status, 0, stdout + stderr);
}

function tryPrograms(node: string, app: string): void {
  log(`the programs on Node ${run(node, ['--version'], app).stdout.trim()}`);
  const courier = (...args: string[]) => run(node, ['node_modules/.bin/courier', ...args], app);
  const service = (...args: string[]) => run(node, ['node_modules/.bin/courier-service', ...args], app);
  for (const program of [courier, service]) {
    const help = program('--help');
    assert.equal(help.status, 0, help.stderr);
    assert.match(help.stdout, /Usage: courier/);
    assert.equal(program('--version').stdout, courier('--version').stdout);
  }
  // A cache below /proc cannot be made, and Node never ends trying.
  const nowhere = { HOME: '/proc', XDG_CACHE_HOME: undefined, NODE_COMPILE_CACHE: undefined };
  assert.equal(run(node, ['node_modules/.bin/courier', '--version'], app, nowhere).status, 0, 'without a cache');
  const missing = courier('validate');
  assert.equal(missing.status, 2);
  assert.match(missing.stderr, /courier\.yaml/);
  const account = service(
    'account',
    'create',
    '--name',
    'Ann',
    '--price',
    '0.25',
    '--database',
    'sqlite:accounts.db',
    '--json',
  );
  assert.equal(account.status, 0, account.stderr);
  rmSync(join(app, 'accounts.db'));
}

function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): SpawnSyncReturns<string> {
  const options = { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, timeout: 600_000 } as const;
  return spawnSync(program, args, { ...options, env: { ...process.env, ...env } });
}
