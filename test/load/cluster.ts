/**
 * `npm run load:cluster -- --workers 3 --watches 200 --accounts 20 --urls 2000000`: workers, the service, Postgres and a
 * Temporal server as processes on this machine, from the first crawl to the last acceptance and the end of every job. Prints
 * throughput, fairness, poll lag, processor time, memory and sizes, and compares the service with the sitemaps and the ledger.
 *
 * `--compare` plays it with one worker and with all of them. `--rolling 20 --for 600` restarts all workers again and again,
 * `--deploy` brings in a build with changed workflows and rolls it back, `--faults` ends workers, Postgres and Temporal.
 * Exit code 1 when a promise is broken, 2 for a size that makes no cluster, 130 after Ctrl-C.
 */
import { writeFileSync } from 'node:fs';
import { ScriptCleanup } from '../support/cleanup.ts';
import { formatReport } from './cluster/format.ts';
import { type ClusterOptions, parseOptions } from './cluster/options.ts';
import { type ClusterReport, runCluster } from './cluster/run-cluster.ts';

/** That three workers do at least so much more than one, where no limit of the service binds. */
const GOAL_RATIO = 1.7;

const options = readOptions();
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(130);
    say('stops everything');
    stopping.abort(new Error('interrupted'));
  });
}

function readOptions(): ClusterOptions {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function runOnce(workers: number): Promise<ClusterReport> {
  const cleanup = new ScriptCleanup();
  try {
    const report = await runCluster(cleanup, { ...options, workers }, stopping.signal, say);
    say(formatReport(report));
    return report;
  } finally {
    await cleanup.run();
  }
}

try {
  const reports: ClusterReport[] = [];
  for (const workers of options.compare ? [1, options.workers] : [options.workers])
    reports.push(await runOnce(workers));
  const [first, last] = [reports[0]!, reports.at(-1)!];
  if (options.compare) {
    const ratio = last.urlsPerSecond / first.urlsPerSecond;
    say(`${last.workers} workers against one: ${ratio.toFixed(2)} times (goal: ${GOAL_RATIO})`);
  }
  if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(reports, null, 1)}\n`);
  process.exitCode = reports.every(({ breaches }) => breaches.length === 0) ? 0 : 1;
} catch (error) {
  if (!stopping.signal.aborted) throw error;
  process.exitCode = 130;
}
process.exit();
