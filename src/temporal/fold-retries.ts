import type { LogLevel } from '@temporalio/worker';
import { formatSpan } from '../submission/span.ts';

type Meta = Readonly<Record<string | symbol, unknown>>;
type Write = (level: LogLevel, message: string, meta: Meta) => void;

interface FoldOptions {
  readonly write: Write;
  /** The server responds again: it was silent about retries for a while. */
  readonly recovered: (message: string, meta: Meta) => void;
  readonly now: () => number;
  /** Calls `work` after `ms`, unless the returned function is called before. */
  readonly schedule: (work: () => void, ms: number) => () => void;
}

/** The target of the core's lines about retried calls. */
const RETRY_TARGET = 'temporalio_client::retry';
/** The longest wait between two retries of the core is 10 s. */
const QUIET_MS = 30_000;
/** The same line is written once in this time. */
const REPEAT_MS = 600_000;
/** Distinct lines that are remembered. */
const MAX_KNOWN = 500;

/**
 * Folds what the SDK repeats while a server is away: one line when it stops to respond, one when it responds again. Of
 * other warnings that repeat, as a failing activity's, one line in ten minutes is written, with the count of the others.
 */
export function foldRetries({ write, recovered, now, schedule }: FoldOptions): Write {
  let outage: { readonly since: number; retries: number; last: number; cancel: () => void } | null = null;
  const known = new Map<string, { until: number; repeated: number }>();

  function endOutage(): void {
    if (outage === null) return;
    const { since, retries, last } = outage;
    outage = null;
    recovered(`the Temporal server responds again, after ${formatSpan(last - since)} and ${retries} retried calls`, {
      retries,
    });
  }

  function addRetry(meta: Meta): void {
    outage?.cancel();
    const at = now();
    if (outage === null) {
      write('WARN', 'the Temporal server does not respond. The worker tries again; runs and jobs continue then', {
        reason: describeStatus(String(meta.error ?? '')),
      });
    }
    const { since = at, retries = 0 } = outage ?? {};
    outage = { since, retries: retries + 1, last: at, cancel: schedule(endOutage, QUIET_MS) };
  }

  return (level, message, meta) => {
    if (meta.target === RETRY_TARGET) return addRetry(meta);
    if (level !== 'WARN' && level !== 'ERROR') return write(level, message, meta);
    const key = `${message} ${String(meta.activityType ?? '')} ${describeError(meta.error)}`;
    const before = known.get(key);
    if (before !== undefined && now() < before.until) {
      before.repeated += 1;
      return;
    }
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, { until: now() + REPEAT_MS, repeated: 0 });
    write(
      level,
      message,
      before === undefined || before.repeated === 0 ? meta : { ...meta, repeated: before.repeated },
    );
  };
}

/** `Status { code: Unavailable, message: "tcp connect error", … }` in two words. */
function describeStatus(error: string): string {
  const [, code, message] = /code: (\w+), message: "([^"]*)"/.exec(error) ?? [];
  return code === undefined ? error.slice(0, 200) : `${code}: ${message}`;
}

const describeError = (error: unknown): string => (error instanceof Error ? error.message : String(error ?? ''));
