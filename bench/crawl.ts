// npm run bench:crawl [-- --growth] [-- --only=NAME,NAME] [-- --runs=5]: ours and the peers on the same corpora, served from loopback,
// medians with the spread, and ratios of this one run. --growth: 1, 2, 5 and 10 million pages by ours, once each.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { CHILDREN, makeLoc, PAGES } from './crawl/corpora.ts';
import { type Measured, measure, median } from './crawl/measured.ts';
import { benchFolder, ours, peers, type Runner } from './crawl/runners.ts';

const getOption = (name: string) => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split('=')[1];
const RUNS = Number(getOption('runs') ?? 5);
const say = (line: string) => process.stdout.write(`${line}\n`);

async function withServer<T>(children: number, use: (origin: string) => Promise<T>): Promise<T> {
  const script = join(benchFolder, 'crawl', 'server.ts');
  const server = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, String(children)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const origin = await new Promise<string>((resolve) =>
    server.stdout.once('data', (chunk) => resolve(String(chunk).trim())),
  );
  try {
    return await use(origin);
  } finally {
    server.stdin.end();
  }
}

/** The digest of what should be read, made from the generator and not from any parser. */
function expected(corpus: 'a' | 'b' | 'c'): string {
  const locs: string[] = [];
  for (let child = 0; child < (corpus === 'c' ? CHILDREN : 1); child += 1) {
    for (let page = 0; page < PAGES; page += 1) locs.push(makeLoc(child, page));
  }
  return createHash('sha256').update(locs.sort().join('\n')).digest('hex');
}

async function checkOutput(runner: Runner, url: string, sha256: string): Promise<string> {
  process.env.BENCH_DIGEST = '1';
  const got = await measure({ command: runner.digestCommand ?? runner.command }, url);
  delete process.env.BENCH_DIGEST;
  if (typeof got === 'string') return got;
  return got.sha256 === sha256 ? 'exact' : `WRONG (${got.urls} pages)`;
}

interface Medians extends Measured {
  /** Of the CPU seconds. */
  readonly least: number;
  readonly most: number;
}

async function measureMedian(runner: Runner, url: string): Promise<Medians | string> {
  const runs: Measured[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const got = await measure(runner, url);
    if (typeof got === 'string') return got;
    runs.push(got);
  }
  return {
    ...runs[0]!,
    seconds: median(runs.map((run) => run.seconds)),
    cpuSeconds: median(runs.map((run) => run.cpuSeconds)),
    rssMb: median(runs.map((run) => run.rssMb)),
    least: Math.min(...runs.map((run) => run.cpuSeconds)),
    most: Math.max(...runs.map((run) => run.cpuSeconds)),
  };
}

async function compare(runners: readonly Runner[]): Promise<void> {
  await withServer(CHILDREN, async (origin) => {
    for (const corpus of ['a', 'b', 'c'] as const) {
      const url = `${origin}/${corpus}.xml`;
      const sha256 = expected(corpus);
      say(
        `\n(${corpus})\n| crawler | seconds | times ours | CPU seconds | least to most | times ours | RSS MB | output |\n| --- | --- | --- | --- | --- | --- | --- | --- |`,
      );
      let base: Medians | undefined;
      for (const runner of runners) {
        const got = await measureMedian(runner, url);
        if (typeof got === 'string') say(`| ${runner.name} | failed: ${got} | | | | | | |`);
        else {
          base ??= got;
          const output = await checkOutput(runner, url, sha256);
          const clock = `${got.seconds.toFixed(2)} | ${(got.seconds / base.seconds).toFixed(1)}`;
          const cpu = `${got.cpuSeconds.toFixed(2)} | ${got.least.toFixed(2)} to ${got.most.toFixed(2)} | ${(got.cpuSeconds / base.cpuSeconds).toFixed(1)}`;
          say(`| ${runner.name} | ${clock} | ${cpu} | ${Math.round(got.rssMb)} | ${output} |`);
        }
      }
    }
    const gunzip = await measureMedian(
      { name: 'gunzip', command: [process.execPath, join(benchFolder, 'crawl', 'peers', 'gunzip.mjs')] },
      `${origin}/c.xml`,
    );
    if (typeof gunzip !== 'string') say(`\ngunzip of (c) alone, in Node: ${gunzip.seconds.toFixed(2)} s`);
  });
}

async function growth(): Promise<void> {
  say('\n| pages | seconds | per million | RSS MB |\n| --- | --- | --- | --- |');
  for (const millions of [1, 2, 5, 10]) {
    await withServer(millions * CHILDREN, async (origin) => {
      const got = await measure(ours(), `${origin}/c.xml`);
      if (typeof got === 'string') say(`| ${millions} million | failed: ${got} | | |`);
      else
        say(
          `| ${millions} million | ${got.seconds.toFixed(2)} | ${(got.seconds / millions).toFixed(2)} | ${Math.round(got.rssMb)} |`,
        );
    });
  }
}

/** `--only=scrapy,crawlee`: ours and those. */
const only = getOption('only')?.split(',');
if (process.argv.includes('--growth')) await growth();
else await compare([ours(), ...peers().filter(({ name }) => only === undefined || only.includes(name))]);
