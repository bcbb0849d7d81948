import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** From a cached answer to the longest wait for an index-check. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** From a minute to the deadline of service standard. */
const PROCESSING_SECONDS = [60, 300, 600, 1_800, 3_600, 10_800, 43_200, 86_400, 259_200, 604_800];

/** What a scrape reads from where it is kept, instead of being counted along the way. */
export interface Sampled {
  readonly openRequests: number;
  readonly bodyBytes: number;
  readonly turns: { readonly running: number; readonly waiting: number };
  /** Connections to Postgres; absent on SQLite. */
  readonly pool?: { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Submissions by service level; absent while the storage cannot be read. */
  readonly queue?: readonly QueueState[];
}

export interface QueueState {
  readonly service: string;
  /** Accepted, and not handed to a worker yet. */
  readonly waiting: number;
  readonly oldestWaitingSeconds: number;
  /** Accepted, and not ended yet, the waiting ones included. */
  readonly open: number;
  readonly oldestOpenSeconds: number;
}

/**
 * What the service counts of itself, for Prometheus. Amounts are in micro-lira. No label holds anything that a client
 * sends, so the number of series is bounded.
 */
export interface Metrics {
  request(answered: { method: string; route: string; status: number; seconds: number }): void;
  accepted(submission: { service: string; urls: number; micros: number }): void;
  checked(check: { urls: number; micros: number }): void;
  refused(code: string): void;
  denied(window: string): void;
  restored(cause: RestoreCause): void;
  started(submission: { service: string; seconds: number }): void;
  ended(submission: { service: string; status: string; seconds: number }): void;
  /** Submissions that ended at the deadline of their service level. */
  expired(count: number): void;
  /** In the text format of Prometheus. */
  render(sample: () => Promise<Sampled>): Promise<{ readonly type: string; readonly text: string }>;
}

/** failed: the provider or the storage failed during the check. lease: its process ended before it. */
export type RestoreCause = 'failed' | 'lease';

export function createMetrics(): Metrics {
  const registers = [new Registry()];
  const [register] = registers as [Registry];
  // With the lag of the event loop, memory, CPU and garbage collection.
  collectDefaultMetrics({ register });

  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `courier_service_${name}`, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name: `courier_service_${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: number[],
  ) => new Histogram({ name: `courier_service_${name}`, help, labelNames, buckets, registers });

  const requests = counter('requests_total', 'Requests by route and status.', ['method', 'route', 'status']);
  const seconds = histogram('request_seconds', 'From a request to its answer.', ['method', 'route'], REQUEST_SECONDS);
  const submissions = counter('submissions_accepted_total', 'Accepted submissions.', ['service']);
  const urls = counter('urls_accepted_total', 'URLs of accepted submissions.', ['service']);
  const charges = counter('charged_micros_total', 'Charged, in micro-lira; restores and refunds are not taken off.', [
    'kind',
  ]);
  const checkedUrls = counter('urls_checked_total', 'URLs of index-checks that were answered.', []);
  const refusals = counter('refusals_total', 'Answers with an error envelope, by error.code.', ['code']);
  const denials = counter('limiter_denials_total', 'Requests over a limit, by the window that was full.', ['window']);
  const restores = counter('restores_total', 'Charges of index-checks that were given back.', ['cause']);
  const wait = histogram(
    'processing_wait_seconds',
    'From the acceptance of a submission to the start of its processing.',
    ['service'],
    PROCESSING_SECONDS,
  );
  const lag = histogram(
    'processing_seconds',
    'From the acceptance of a submission to its end.',
    ['service', 'status'],
    PROCESSING_SECONDS,
  );
  const expiries = counter('submissions_expired_total', 'Submissions that ended at their deadline.', []);
  const openRequests = gauge('open_requests', 'Requests of the API that are being answered.');
  const bodyBytes = gauge('body_bytes', 'Bytes of request bodies in memory.');
  const turns = gauge('database_turns', 'Operations of customers at the database.', ['state']);
  const pool = gauge('pool_connections', 'Connections to Postgres; waiting counts who waits for one.', ['state']);
  const queueDepth = gauge('queue_submissions', 'Submissions that wait for a worker, or have not ended.', [
    'service',
    'state',
  ]);
  const queueAge = gauge('queue_oldest_seconds', 'Age of the oldest of them; 0 when there is none.', [
    'service',
    'state',
  ]);

  function set({ openRequests: open, bodyBytes: bytes, turns: { running, waiting }, ...sampled }: Sampled): void {
    openRequests.set(open);
    bodyBytes.set(bytes);
    turns.set({ state: 'running' }, running);
    turns.set({ state: 'waiting' }, waiting);
    for (const [state, count] of Object.entries(sampled.pool ?? {})) pool.set({ state }, count);
    // Old figures of a storage that cannot be read would say that all is well.
    queueDepth.reset();
    queueAge.reset();
    for (const { service, ...each } of sampled.queue ?? []) {
      queueDepth.set({ service, state: 'waiting' }, each.waiting);
      queueDepth.set({ service, state: 'open' }, each.open);
      queueAge.set({ service, state: 'waiting' }, each.oldestWaitingSeconds);
      queueAge.set({ service, state: 'open' }, each.oldestOpenSeconds);
    }
  }

  return {
    request({ method, route, status, seconds: took }) {
      requests.inc({ method, route, status: String(status) });
      seconds.observe({ method, route }, took);
    },
    accepted({ service, urls: count, micros }) {
      submissions.inc({ service });
      urls.inc({ service }, count);
      charges.inc({ kind: 'submission' }, micros);
    },
    checked({ urls: count, micros }) {
      checkedUrls.inc(count);
      charges.inc({ kind: 'index_check' }, micros);
    },
    refused: (code) => refusals.inc({ code }),
    denied: (window) => denials.inc({ window }),
    restored: (cause) => restores.inc({ cause }),
    started: ({ service, seconds: took }) => wait.observe({ service }, took),
    ended: ({ service, status, seconds: took }) => lag.observe({ service, status }, took),
    expired: (count) => expiries.inc(count),
    async render(sample) {
      set(await sample());
      return { type: register.contentType, text: await register.metrics() };
    },
  };
}
