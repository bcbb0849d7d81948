import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listTests, ROOT } from '../suites.ts';
import { CACHE } from './cache.ts';
import { toRan } from './coverage.ts';
import type { TestReach } from './group-tests.ts';
import type { Change } from './load-change.ts';
import { digest } from './mutation.ts';

export interface TestsToPlay {
  readonly change: Change | null;
  /** Relative to the tree. */
  readonly tests: readonly string[];
}

export interface TestsPlayed {
  readonly kind: 'passed' | 'failed' | 'timeout';
  /** The first test that failed. */
  readonly first: string;
  /** Processor time, in milliseconds: how long it took depends on what else the machine does. */
  readonly cpuMs: number;
}

const PROGRAM = fileURLToPath(new URL('./play-tests.ts', import.meta.url));
const REPORTER = fileURLToPath(new URL('./first-failure.ts', import.meta.url));
const NODE = ['--disable-warning=ExperimentalWarning', `--test-reporter=${REPORTER}`];
/** The tests of the modules that need no other process. */
export const listCandidates = (): string[] =>
  listTests('quick').filter((file) => /^(src|activities|workflows|test\/connector)\//.test(file));

/**
 * Runs test files in one process until the first failure.
 *
 * @param mostMs after so long without an end a test goes round in a circle
 */
export async function playTests(play: TestsToPlay, mostMs: number, coverage?: string): Promise<TestsPlayed> {
  const child = spawn(process.execPath, [...NODE, PROGRAM], {
    cwd: ROOT,
    env: {
      ...process.env,
      COURIER_MUTATE: JSON.stringify(play),
      NODE_COMPILE_CACHE: join(tmpdir(), 'courier-mutate-code'),
      ...(coverage === undefined ? {} : { NODE_V8_COVERAGE: coverage }),
    },
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  });
  let said = '';
  let counted = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  child.stdio[3]?.on('data', (chunk: Buffer) => {
    counted += chunk.toString();
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, mostMs);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  const cpuMs = Number(counted);
  if (isLate) return { kind: 'timeout', first: '', cpuMs };
  if (code === 0) return { kind: 'passed', first: '', cpuMs };
  return { kind: 'failed', cpuMs, first: said.trim().split('\n').at(-1) ?? '' };
}

/** Measures a test file once for each text of what it loads. */
export async function measureReach(file: string): Promise<TestReach> {
  const kept = join(CACHE, 'units', `${file.replaceAll('/', '+')}.json`);
  if (existsSync(kept)) {
    const known = JSON.parse(readFileSync(kept, 'utf8')) as TestReach;
    if (known.cpuMs !== undefined && Object.entries(known.loaded).every(([each, text]) => digestFile(each) === text))
      return known;
  }
  const folder = mkdtempSync(join(tmpdir(), 'courier-coverage-'));
  try {
    const { kind, cpuMs } = await playTests({ change: null, tests: [file] }, 600_000, folder);
    const scripts = globSync('*.json', { cwd: folder }).flatMap(
      (each) => (JSON.parse(readFileSync(join(folder, each), 'utf8')) as { result: Profiler.ScriptCoverage[] }).result,
    );
    const ran = toRan(scripts);
    const files = [file, ...Object.keys(ran)].filter((each) => !each.startsWith('test/mutate/'));
    const loaded = Object.fromEntries(files.map((each) => [each, digestFile(each)]));
    const own = Object.entries(ran).filter(([each]) => !each.endsWith('.test.ts') && !each.startsWith('test/'));
    const reach: TestReach = { file, cpuMs, passes: kind === 'passed', ran: Object.fromEntries(own), loaded };
    mkdirSync(dirname(kept), { recursive: true });
    if (reach.passes) writeFileSync(kept, JSON.stringify(reach));
    return reach;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const digests = new Map<string, string>();

/** Read once: each test file loads some hundred others, most of them the same. */
function digestFile(file: string): string {
  const path = join(ROOT, file);
  const known = digests.get(file) ?? (existsSync(path) ? digest(readFileSync(path, 'utf8')) : '');
  digests.set(file, known);
  return known;
}
