import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { urlset } from '../../../test/support/sitemap/collect.ts';
import { ANSWERS, FAULTS, STEPS, serveFaults, toFaultPath } from '../../../test/support/sitemap/faulty-server.ts';

const program = fileURLToPath(new URL('../main.ts', import.meta.url));
/** A host sees four requests at a time, so many ports make the test fast. */
const SERVERS = 16;

interface Crawled {
  readonly code: number | null;
  readonly stderr: string;
  readonly records: readonly Record<string, unknown>[];
}

async function crawl(sources: readonly string[], timeoutSeconds: number): Promise<Crawled> {
  const timeout = ['--timeout', String(timeoutSeconds)];
  const args = [
    'crawl',
    '--json',
    '--allow-private-hosts',
    ...timeout,
    '--retries',
    '1',
    '--concurrency',
    '64',
    ...sources,
  ];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args]);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const records = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code, stderr, records };
}

/** Every fault at every step of every answer, directly and behind a redirect, from servers of its own. */
async function crawlFaults(faults: readonly (typeof FAULTS)[number][], timeoutSeconds: number) {
  const paths = ANSWERS.flatMap((answer) =>
    STEPS.flatMap((step) => faults.map((fault) => toFaultPath(answer, step, fault))),
  );
  const all = paths.flatMap((path) => [path, `/to${path}`]);
  const servers = await Promise.all(
    Array.from({ length: SERVERS }, () => serveFaults(() => ({ '/small.xml': urlset('https://shop.example/small') }))),
  );
  try {
    const small = servers.map(({ origin }) => `${origin}/small.xml`);
    const faulty = all.map((path, at) => `${servers[at % SERVERS]?.origin}${path}`);
    const crawled = await crawl([...small, ...faulty], timeoutSeconds);
    const { code, stderr, records } = crawled;
    assert.doesNotMatch(stderr, /unhandled|uncaught|node:|fault of the program|bug/i);
    assert.equal(code, 3, stderr.slice(-2_000));
    const summary = records.at(-1);
    assert.deepEqual([summary?.type, summary?.ok, summary?.complete], ['summary', false, false]);
    assert.equal(summary?.sitemaps, SERVERS + all.length);
    const problems = (summary?.problems ?? []) as { sitemap: string; code: string; severity: string }[];
    const toPaths = (some: typeof problems) => new Set(some.map(({ sitemap }) => new URL(sitemap).pathname));
    const failed = toPaths(problems.filter(({ severity }) => severity === 'error'));
    const doubted = toPaths(problems.filter(({ code }) => code === 'END_UNKNOWN'));
    const read = new Set(records.map(({ sitemap }) => (typeof sitemap === 'string' ? new URL(sitemap).pathname : '')));
    // Redirects to the small sitemap are duplicates of it: they have neither pages nor problems.
    const silent = paths.filter((path) => !failed.has(path) && !read.has(path) && !path.startsWith('/redirect/'));
    assert.deepEqual(silent, []);
    return { failed, doubted, read };
  } finally {
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
}

describe('crawl faults', () => {
  test('no server fault, at any step of any response, ends the process or loses the summary', {
    timeout: 300_000,
  }, async () => {
    // No answer of these takes so long, however busy the machine is.
    const { failed, doubted } = await crawlFaults(
      FAULTS.filter((fault) => fault !== 'stall' && fault !== 'late'),
      250,
    );
    for (const step of STEPS) {
      for (const answer of ['plain', 'text-until-close'] as const) {
        const path = toFaultPath(answer, step, 'reset');
        // Where only the connection's end shows the end of the body, a reset is never a good one.
        assert.ok((step === 'whole' && answer === 'plain') || failed.has(path), `reset of ${answer} at ${step}`);
      }
      for (const fault of ['end', 'destroy'] as const) {
        const path = toFaultPath('text-until-close', step, fault);
        assert.ok(failed.has(path) || doubted.has(path), `${fault} of lines at ${step}`);
      }
    }
  });

  test('a response that comes late at any step is read', { timeout: 300_000 }, async () => {
    // On servers of its own: a connection on which another response broke can spoil the one after it.
    const { read } = await crawlFaults(['late'], 250);
    for (const step of STEPS) assert.ok(read.has(toFaultPath('plain', step, 'late')), `late at ${step}`);
  });

  test('neither does a response that stalls at any step', { timeout: 300_000 }, async () => {
    // Each takes all of this time. A response that a busy machine reads too late only fails as well.
    const { failed } = await crawlFaults(['stall'], 3);
    for (const step of STEPS) {
      assert.ok(step === 'whole' || failed.has(toFaultPath('plain', step, 'stall')), `stall at ${step}`);
      assert.ok(failed.has(toFaultPath('text-until-close', step, 'stall')), `stall of lines at ${step}`);
    }
  });
});
