/**
 * Runs the tests against one Temporal server (in memory, gone afterwards). COURIER_TEST_TEMPORAL names a running one
 * instead; COURIER_TEST_POSTGRES adds the same database tests on Postgres. Arguments: files or globs to run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startDevServer } from '../src/temporal/dev-server.ts';
import { findTemporalBinary } from '../src/temporal/server-binary.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const ROOMS = ['activities', 'bench', 'contract', 'service', 'src', 'test', 'workflows'];
const globs = process.argv.length > 2 ? process.argv.slice(2) : ROOMS.map((room) => `${room}/**/*.test.ts`);

/** Two files at a time also on two cores: many tests wait for a server most of the time. */
const LIMITS = ['--test-timeout=180000', `--test-concurrency=${Math.max(2, availableParallelism() - 1)}`];

const say = (line: string) => process.stderr.write(`${line}\n`);
const named = process.env.COURIER_TEST_TEMPORAL;
const server =
  named === undefined ? await startDevServer({ binary: await findTemporalBinary(say), headless: true }) : null;
const tests = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--test', ...LIMITS, ...globs], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, COURIER_TEST_TEMPORAL: named ?? server?.address },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));
const [code] = (await once(tests, 'exit')) as [number | null];
await server?.stop();
process.exitCode = code ?? 1;
