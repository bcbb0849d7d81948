/**
 * npm run test:image: carries out the steps of deploy/container/Dockerfile in a folder, without a container engine, and
 * runs both programs inside it with chroot: as the user of the image, who can write to /data and /tmp only. Needs root, a
 * Debian-like machine and the package registry: about three minutes. `apt-get` is left out.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'courier-image-'));
/** Uncompressed, as an engine would count it. */
const LARGEST_IMAGE_MB = 250;

if (process.getuid?.() !== 0) {
  console.log('image: not run, because chroot needs root');
  process.exit(0);
}
try {
  const started = performance.now();
  replay('build');
  replay('files');
  const image = join(folder, 'files', 'image');
  const [, bytes] = /^(\d+)/.exec(shell(`du -s --block-size=1000000 ${image}`, '/')) ?? [];
  const compressed = Number(shell(`tar c -C ${image} . | gzip -6 | wc -c`, '/')) / 1e6;
  log(`${bytes} MB, ${compressed.toFixed(0)} MB compressed, after ${seconds(started)} s`);
  assert.ok(Number(bytes) < LARGEST_IMAGE_MB, 'the image holds more than it needs');
  const ports = await tryImage(image);
  log(`ok: the programs ran inside it (${ports}), after ${seconds(started)} s`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function log(line: string): void {
  console.log(`image: ${line}`);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(0);
}

/** Carries out the instructions of a stage. Its root is a folder of its name; what is absolute in them lies below it. */
function replay(stage: string): void {
  const text = readFileSync(join(root, 'deploy/container/Dockerfile'), 'utf8').replace(/\\\n\s*/g, '');
  const own = text.split(/^(?=FROM )/m).find((part) => part.split('\n')[0]?.endsWith(` AS ${stage}`)) ?? '';
  const base = join(folder, stage);
  let here = base;
  for (const line of own.split('\n').slice(1)) {
    const [, word = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (word === 'WORKDIR') {
      here = join(base, rest);
      mkdirSync(here, { recursive: true });
    }
    if (word === 'COPY') copy(rest.split(' '), here);
    if (word === 'RUN' && !rest.startsWith('apt-get')) {
      log(`${stage}: ${rest}`);
      shell(rest.replace('"$OPENTELEMETRY"', '""').replace(/(?<= )\/(image|app)\b/g, `${base}/$1`), here);
    }
  }
}

/** COPY FROM… TO, from the repository or, with --from, from another stage. */
function copy(words: readonly string[], here: string): void {
  const [, stage] = /^--from=(.*)$/.exec(words[0] ?? '') ?? [];
  const paths = stage === undefined ? words : words.slice(1);
  const to = paths.at(-1)!;
  for (const path of paths.slice(0, -1)) {
    const source = stage === undefined ? join(root, path) : join(folder, stage, path);
    const target = to.endsWith('/') ? join(here, to, path.split('/').at(-1)!) : join(here, to);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(source, target, { recursive: true });
  }
}

function shell(command: string, cwd: string): string {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8' });
  assert.equal(status, 0, `${command}\n${stdout}${stderr}`);
  return stdout;
}

/** Both programs answer; the service is asked by the command of its health check, and ends at SIGTERM. */
async function tryImage(image: string): Promise<string> {
  const inside = ['--userspec=1000:1000', image, '/usr/local/bin/node', '--disable-warning=ExperimentalWarning'];
  const version = spawnSync('chroot', [...inside, '/app/dist/src/cli/main.js', '--version'], { encoding: 'utf8' });
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/, version.stderr);
  // The worker's native library and the workflows that were bundled in the build.
  const load = "require('/app/node_modules/@temporalio/worker').Runtime.instance().shutdown()";
  const worker = spawnSync('chroot', [...inside, '-e', load], { encoding: 'utf8' });
  assert.equal(worker.status, 0, worker.stderr);
  const port = 20_000 + (process.pid % 10_000);
  const env = {
    COURIER_SERVICE_DATABASE: 'sqlite:/data/service.db',
    COURIER_SERVICE_ADMIN_PORT: String(port),
    HOME: '/tmp',
  };
  const service = spawn('chroot', [...inside, '/app/dist/service/cli/main.js', 'serve', '--port', '0', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface({ input: service.stdout! }), 'line')) as [string];
    const dockerfile = readFileSync(join(root, 'deploy/container/Dockerfile'), 'utf8');
    const [, command = ''] = /CMD \["node", "-e", "(.*)"\]/.exec(dockerfile) ?? [];
    const health = spawnSync('chroot', [...inside, '-e', command.replace(':9464', `:${port}`)], { encoding: 'utf8' });
    assert.equal(health.status, 0, `${command}\n${health.stderr}`);
    return line;
  } finally {
    service.kill('SIGTERM');
    const [code] = (await once(service, 'exit')) as [number | null];
    assert.equal(code, 0, 'the service ends with 0 at SIGTERM');
  }
}
