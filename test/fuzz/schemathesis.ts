/**
 * Tries the running service against its own openapi.json with schemathesis (PyPI): phases examples, coverage, fuzzing
 * and stateful, all checks. `npm run fuzz:api -- --seconds 300 [--database URL]`. Needs Python 3.10 or newer with
 * schemathesis, or pip and a package index to install it from.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { micros } from '../../contract/money.ts';
import { startService } from '../../service/serve.ts';

const VERSION = '4.32.5';
const SEED = '20261121';
/** Used again by the next run. */
const VENV = join(tmpdir(), `courier-schemathesis-${VERSION}`);
const EXIT_CANNOT_RUN = 77;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    database: { type: 'string' },
    'installed-only': { type: 'boolean' },
  },
});

function cannotRun(why: string): never {
  process.stderr.write(`schemathesis was not run: ${why}\n`);
  process.exit(EXIT_CANNOT_RUN);
}

function program(): string {
  const own = join(VENV, 'bin', 'schemathesis');
  if (existsSync(own)) return own;
  if (spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status !== 0) {
    cannotRun('it needs Python 3.10 or newer');
  }
  if (spawnSync('schemathesis', ['--version']).status === 0) return 'schemathesis';
  if (values['installed-only']) cannotRun('it is not installed; npm run fuzz:api installs it');
  const made = spawnSync('python3', ['-m', 'venv', VENV], { encoding: 'utf8' });
  if (made.status !== 0) cannotRun('python3 -m venv does not work here');
  const installed = spawnSync(join(VENV, 'bin', 'pip'), ['install', '-q', `schemathesis==${VERSION}`], {
    encoding: 'utf8',
  });
  if (installed.status !== 0) {
    rmSync(VENV, { recursive: true, force: true });
    cannotRun(`pip cannot install it: ${installed.stderr.trim().split('\n').at(-1)}`);
  }
  return own;
}

const schemathesis = program();
const folder = mkdtempSync(join(tmpdir(), 'courier-fuzz-'));
const ample = (windowMs: number) => ({ limit: 100_000_000, windowMs });
const service = await startService({
  database: values.database ?? `sqlite:${join(folder, 'service.db')}`,
  limits: { minute: ample(60_000), hour: ample(3_600_000), day: ample(86_400_000), submissions: ample(60_000) },
});
const { id } = await service.accounts.createAccount({
  name: `fuzz ${Date.now()}`,
  balance: micros(9_000_000_000_000_000),
  price: micros(1),
});
const { apiKey } = await service.accounts.createKey({ account: id });
const config = join(folder, 'schemathesis.toml');
writeFileSync(config, `[auth.openapi.bearer]\nbearer = "\${COURIER_TEST_FUZZ_KEY}"\n`);
const run = spawn(
  schemathesis,
  [
    ...['--config-file', config, 'run', `${service.baseUrl}/openapi.json`, '--url', service.baseUrl],
    ...['--phases', 'examples,coverage,fuzzing,stateful', '--mode', 'all', '--checks', 'all'],
    ...['--max-time', values.seconds, '--seed', SEED, '--continue-on-failure', '--max-response-time', '2'],
  ],
  { stdio: 'inherit', env: { ...process.env, COURIER_TEST_FUZZ_KEY: apiKey } },
);
const [code] = (await once(run, 'exit')) as [number | null];
await service.close();
rmSync(folder, { recursive: true, force: true });
process.exitCode = code ?? 1;
