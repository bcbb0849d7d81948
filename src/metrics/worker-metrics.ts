import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { EmitEvent } from '../observability/worker-events.ts';
import type { Sample } from './sample.ts';
import { createSampleGauges } from './sample-gauges.ts';

/** From a small sitemap to one of a million URLs behind a slow server. */
const CRAWL_SECONDS = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 43_200];
/** From a poll on time to one that a full worker starts an hour late. */
const LAG_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600];
const REQUEST_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 90];

/** What keeps a worker from its work, or you from hearing of it, and is in no ledger. Its log says more. */
export const TROUBLES = ['temporal', 'build', 'configuration', 'key', 'notifications', 'clock', 'log'] as const;
export type Trouble = (typeof TROUBLES)[number];

/**
 * What a worker shows of itself, for Prometheus. Counters and histograms are of this process; gauges are of the ledger, so
 * they are the same for all workers of a ledger. Amounts are in micro-lira. Labels hold names from the configuration and
 * fixed words, never URLs, references or texts of the service: the number of series is bounded.
 */
export interface WorkerMetrics {
  readonly count: EmitEvent;
  setTrouble(trouble: Trouble, is: boolean): void;
  /** Null: the ledger could not be read. `isWritable`: whether it can be written. */
  render(sample: Sample | null, isWritable?: boolean): Promise<{ readonly type: string; readonly text: string }>;
  /** The names of all metrics. */
  readonly names: readonly string[];
}

export function createWorkerMetrics(version: string): WorkerMetrics {
  const register = new Registry();
  // With the lag of the event loop, memory, CPU and garbage collection.
  collectDefaultMetrics({ register });
  const registers = [register];
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `courier_${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, labelNames: Label[], buckets: number[]) =>
    new Histogram({ name: `courier_${name}`, help, labelNames, buckets, registers });

  const runs = counter('runs_total', 'Runs that ended: complete, incomplete or abandoned.', ['watch', 'result']);
  const submitted = counter('submitted_urls_total', 'URLs that the service accepted.', ['account', 'watch', 'service']);
  const charged = counter('charged_micros_total', 'Charged by the service, as it reported.', [
    'account',
    'watch',
    'kind',
  ]);
  const jobUrls = counter('job_urls_total', 'URLs of jobs that ended, by their result.', [
    'account',
    'watch',
    'result',
  ]);
  const checkedUrls = counter('checked_urls_total', 'URLs of index-checks, by their result.', ['watch', 'result']);
  const requests = counter('requests_total', 'Requests to the service; status "none": no response.', [
    'account',
    'endpoint',
    'status',
  ]);
  const requestSeconds = histogram(
    'request_seconds',
    'From a request to its response.',
    ['account', 'endpoint'],
    REQUEST_SECONDS,
  );
  const crawlSeconds = histogram('crawl_seconds', 'Time that a crawl took.', ['watch'], CRAWL_SECONDS);
  const pollLag = histogram(
    'poll_lag_seconds',
    'From the time for which a poll was scheduled to its start.',
    ['account'],
    LAG_SECONDS,
  );
  new Gauge({ name: 'courier_build_info', help: 'The version.', labelNames: ['version'], registers }).set(
    { version },
    1,
  );
  const writable = new Gauge({
    name: 'courier_ledger_writable',
    help: '1 when the ledger could be written, else 0: nothing is sent before it is recorded.',
    registers,
  });
  const trouble = new Gauge({
    name: 'courier_trouble',
    help: '1 while the worker has this trouble, which its log explains.',
    labelNames: ['kind'],
    registers,
  });
  const setTrouble = (kind: Trouble, is: boolean): void => trouble.set({ kind }, is ? 1 : 0);
  for (const each of TROUBLES) setTrouble(each, false);
  const gauges = createSampleGauges(register);

  const count: EmitEvent = (event) => {
    switch (event.kind) {
      case 'crawl':
        return crawlSeconds.observe({ watch: event.watch }, event.tookMs / 1_000);
      case 'run_ended':
        return runs.inc({ watch: event.watch, result: event.complete ? 'complete' : 'incomplete' });
      case 'run_abandoned':
        return runs.inc({ watch: event.watch, result: 'abandoned' });
      case 'batch': {
        const { account, watch, service, urls, accepted, charged: amount } = event;
        if (accepted !== 'now') return;
        submitted.inc({ account, watch, service }, urls);
        return charged.inc({ account, watch, kind: 'submission' }, amount ?? 0);
      }
      case 'job_ended': {
        const { account, watch, completed, failed } = event;
        jobUrls.inc({ account, watch, result: 'completed' }, completed);
        return jobUrls.inc({ account, watch, result: 'failed' }, failed);
      }
      case 'index_check': {
        const { account, watch, urls, found, charged: amount } = event;
        checkedUrls.inc({ watch, result: 'found' }, found);
        checkedUrls.inc({ watch, result: 'not_found' }, urls - found);
        return charged.inc({ account, watch, kind: 'index_check' }, amount);
      }
      case 'poll':
        return pollLag.observe({ account: event.account }, event.lagMs / 1_000);
      case 'request': {
        const { account, endpoint, status, tookMs } = event;
        requests.inc({ account, endpoint, status: String(status ?? 'none') });
        return requestSeconds.observe({ account, endpoint }, tookMs / 1_000);
      }
      case 'run_held':
      case 'run_decided':
      case 'suspended':
      case 'key_rejected':
      case 'key_accepted':
        // Gauges of the ledger show these.
        return;
    }
  };

  return {
    ...{ count, setTrouble },
    async render(sample, isWritable = sample !== null) {
      gauges.set(sample);
      writable.set(isWritable ? 1 : 0);
      return { type: register.contentType, text: await register.metrics() };
    },
    names: register.getMetricsAsArray().map(({ name }) => name),
  };
}
