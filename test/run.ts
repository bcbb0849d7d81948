/**
 * Runs tests: `npm test` those that need no server and no process, `npm run test:all` all of them, `npm run test:file --
 * FILES` the files or globs named. System tests share one Temporal server, and database tests run on SQLite and on a
 * Postgres that is started where its programs are found. Both are gone afterwards. COURIER_TEST_TEMPORAL and
 * COURIER_TEST_POSTGRES name running ones instead.
 */
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startDevServer } from '../src/temporal/dev-server.ts';
import { findTemporalBinary } from '../src/temporal/server-binary.ts';
import { runFiles } from './run-files.ts';
import { writeRowTypes } from './schema/row-types.ts';
import { runAgain } from './second-run.ts';
import { writeShards } from './shards.ts';
import { isSystemTest, listTests, ROOT } from './suites.ts';
import { findPostgresPrograms, startPostgres } from './support/postgres-server.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false } },
});
const kind = positionals.length > 0 ? 'named' : values.all ? 'all' : 'quick';
const files = kind === 'named' ? globSync(positionals, { cwd: ROOT }) : listTests(kind);
if (files.length === 0) {
  console.error(`No test file matches ${positionals.join(' ')}. Example: npm run test:file -- src/url/scope.test.ts`);
  process.exit(2);
}

/** A process a core, and one more for the files that wait. */
const SHARDS = Math.max(2, availableParallelism());

/** Two files at a time also on two cores: many tests wait for a server most of the time. Named files may take hours. */
const LIMITS = [
  `--test-concurrency=${kind === 'quick' ? SHARDS + 1 : Math.max(2, availableParallelism() - 1)}`,
  ...(kind === 'all' ? ['--test-timeout=180000'] : []),
];

interface Server {
  readonly variables: Record<string, string>;
  readonly note: string;
  stop(): Promise<void>;
}

async function openTemporal(): Promise<Server | null> {
  if (process.env.COURIER_TEST_TEMPORAL !== undefined || !files.some(isSystemTest)) return null;
  const binary = await findTemporalBinary((line) => process.stderr.write(`${line}\n`));
  const server = await startDevServer({ binary, headless: true });
  return { variables: { COURIER_TEST_TEMPORAL: server.address }, note: '', stop: () => server.stop() };
}

async function openPostgres(): Promise<Server> {
  const idle = { variables: {}, stop: async () => undefined };
  if (process.env.COURIER_TEST_POSTGRES !== undefined)
    return { ...idle, note: 'Databases: SQLite, and the Postgres that COURIER_TEST_POSTGRES names.' };
  if (kind === 'quick') {
    const note =
      'Databases: SQLite only. "npm run test:all" runs these tests on Postgres too, and those that need a server.';
    return { ...idle, note };
  }
  const programs = findPostgresPrograms();
  const missing = 'Storage, service and connector were NOT tested on Postgres';
  if (programs === null)
    return { ...idle, note: `Databases: SQLite only. ${missing}: its programs (initdb, postgres) were not found.` };
  try {
    const { url, version, stop } = await startPostgres(programs);
    return { variables: { COURIER_TEST_POSTGRES: url }, note: `Databases: SQLite and Postgres ${version}.`, stop };
  } catch (error) {
    return { ...idle, note: `Databases: SQLite only. ${missing}: ${(error as Error).message}` };
  }
}

const folder = mkdtempSync(join(tmpdir(), 'courier-tests-'));
const rowTypes = join(folder, 'row-types.json');
writeRowTypes(rowTypes);
const servers = (await Promise.all([openTemporal(), openPostgres()])).filter((server) => server !== null);
const variables = Object.assign(
  { COURIER_TEST_ROW_TYPES: rowTypes },
  ...servers.map((server) => server.variables),
) as Record<string, string>;
const shards = kind === 'quick' ? writeShards(files, SHARDS) : null;
const first = await runFiles(shards?.files ?? files, LIMITS, variables);
shards?.remove();
const { code, passedAlone } =
  kind === 'all'
    ? await runAgain(first, (again) => {
        console.log(`\nA second run, alone, for ${again.join(', ')}\n`);
        return runFiles(again, ['--test-concurrency=1'], variables);
      })
    : { code: first.code, passedAlone: [] };
await Promise.all(servers.map((server) => server.stop()));
rmSync(folder, { recursive: true });
for (const { note } of servers) if (note !== '') console.log(note);
if (passedAlone.length > 0)
  console.log(
    `Failed beside other tests, and passed alone: ${passedAlone.join(', ')}. Its cause is above: correct it. Exit code ${code}.`,
  );
process.exitCode = code;
