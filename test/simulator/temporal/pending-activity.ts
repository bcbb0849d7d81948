import type { Command, Failure } from './history.ts';
import type { Run, VirtualTemporal } from './server.ts';

/**
 * An error that no class of ours names does not go away by another attempt, and would be repeated until the events of a seed
 * are used up: with each of them costing more than the one before, that takes minutes on a busy machine.
 */
const UNNAMED: ReadonlySet<string> = new Set(['Error', 'TypeError', 'RangeError', 'ReferenceError', 'SyntaxError']);
/** So many of them in a row are a breach. */
export const DEFECTS_AT_MOST = 200;

type Scheduled = Extract<Command, { kind: 'activity' }>;

export type ActivityOutcome =
  | { readonly kind: 'completed'; readonly result: string }
  | { readonly kind: 'failed'; readonly failure: Failure };

type TimeoutKind = 'StartToClose' | 'Heartbeat' | 'ScheduleToStart' | 'ScheduleToClose';

const toTimeout = (kind: TimeoutKind): Failure => ({
  ...{ kind: 'timeout', message: `activity ${kind} timeout`, type: 'TIMEOUT' },
  ...{ nonRetryable: false, nextRetryMs: null },
});

/** Identifies one attempt: what an older one reports is ignored. */
export interface Attempt {
  readonly number: number;
  readonly scheduledAt: number;
}

/** An activity that has not ended, as the server keeps it: it is tried until it ends. */
export class PendingActivity {
  readonly run: Run;
  readonly command: Scheduled;
  readonly #server: VirtualTemporal;
  #attempt: Attempt | null = null;
  #tries = 0;
  #heartbeatAt = 0;
  #retry: { cancel(): void } | null = null;
  #timeouts: { cancel(): void }[] = [];
  #isCancelRequested = false;
  #isOpen = true;
  #scheduledAt = 0;
  /** When all attempts must have ended, since the simulation began: counted again after a reset. */
  readonly #closesAt: number;
  #closing: { cancel(): void } | null = null;
  #defects = 0;
  lastFailure: Failure | null = null;
  /** What the last heartbeat carried, for the next attempt. */
  heartbeatDetails: unknown;

  constructor(server: VirtualTemporal, run: Run, command: Scheduled) {
    this.#server = server;
    this.run = run;
    this.command = command;
    const { scheduleToCloseMs } = command.options;
    this.#closesAt = server.kernel.elapsed + (scheduleToCloseMs ?? Number.POSITIVE_INFINITY);
    if (scheduleToCloseMs !== null)
      this.#closing = server.kernel.schedule(scheduleToCloseMs, null, () => this.#expire());
  }

  get attempt(): number {
    return this.#tries;
  }

  get isCancelRequested(): boolean {
    return this.#isCancelRequested;
  }

  schedule(delayMs: number): void {
    this.#retry = this.#server.kernel.schedule(delayMs, null, () => {
      this.#retry = null;
      this.#scheduledAt = this.#server.kernel.elapsed;
      this.#server.giveActivity(this);
    });
  }

  /** A worker begins an attempt; null when there is nothing to do any more. */
  start(): Attempt | null {
    if (!this.#isOpen || this.#attempt !== null) return null;
    const { kernel } = this.#server;
    const attempt: Attempt = { number: this.#tries + 1, scheduledAt: this.#scheduledAt };
    this.#tries = attempt.number;
    this.#attempt = attempt;
    this.#heartbeatAt = kernel.elapsed;
    const { startToCloseMs } = this.command.options;
    this.#timeouts = [kernel.schedule(startToCloseMs, null, () => this.#timeOut(attempt, 'StartToClose'))];
    this.#watchHeartbeats(attempt);
    return attempt;
  }

  #watchHeartbeats(attempt: Attempt): void {
    const { heartbeatMs } = this.command.options;
    if (heartbeatMs === null) return;
    const { kernel } = this.#server;
    const dueAt = this.#heartbeatAt + heartbeatMs;
    this.#timeouts[1] = kernel.schedule(dueAt - kernel.elapsed, null, () => {
      if (this.#attempt !== attempt) return;
      if (this.#heartbeatAt + heartbeatMs === dueAt) this.#timeOut(attempt, 'Heartbeat');
      else this.#watchHeartbeats(attempt);
    });
  }

  heartbeat(attempt: Attempt, details: unknown): void {
    if (this.#attempt !== attempt) return;
    this.#heartbeatAt = this.#server.kernel.elapsed;
    this.heartbeatDetails = details;
  }

  #timeOut(attempt: Attempt, kind: TimeoutKind): void {
    this.end(attempt, { kind: 'failed', failure: toTimeout(kind) });
  }

  end(attempt: Attempt, outcome: ActivityOutcome): void {
    if (this.#attempt !== attempt || !this.#isOpen) return;
    this.#attempt = null;
    this.#cancelTimeouts();
    const { seq, type } = this.command;
    if (outcome.kind === 'completed') {
      this.#close();
      this.#server.tell(this.run, { kind: 'activity', seq, result: outcome.result });
      return;
    }
    const { failure } = outcome;
    this.lastFailure = failure;
    this.#countDefects(failure);
    const { initialMs, coefficient, maximumMs, attempts } = this.command.options;
    const usualMs = Math.min(initialMs * coefficient ** (attempt.number - 1), maximumMs);
    const waitMs = Math.max(failure.nextRetryMs ?? usualMs, this.#server.leastRetryMs(type));
    const isLast = attempt.number >= attempts || this.#server.kernel.elapsed + waitMs > this.#closesAt;
    if (failure.nonRetryable || failure.kind === 'cancelled' || this.#isCancelRequested || isLast) this.#fail(failure);
    else this.schedule(waitMs);
  }

  /** The time for all attempts is up. */
  #expire(): void {
    this.#fail(toTimeout(this.#tries === 0 ? 'ScheduleToStart' : 'ScheduleToClose'));
  }

  #fail(failure: Failure): void {
    const { seq, type } = this.command;
    this.#close();
    this.#server.tell(this.run, { kind: 'activity-failed', seq, failure, type });
  }

  #countDefects({ kind, type, message, nextRetryMs }: Failure): void {
    const isDefect = kind === 'application' && nextRetryMs === null && UNNAMED.has(type);
    this.#defects = isDefect ? this.#defects + 1 : 0;
    if (this.#defects !== DEFECTS_AT_MOST) return;
    this.#server.onBreach(`${this.command.type} has failed ${DEFECTS_AT_MOST} times in a row: ${message}`);
  }

  requestCancel(): void {
    if (!this.#isOpen || this.#isCancelRequested) return;
    this.#isCancelRequested = true;
    if (this.#attempt !== null) return;
    this.#fail({ kind: 'cancelled', message: 'Activity cancelled', type: '', nonRetryable: false, nextRetryMs: null });
  }

  /** Its run has ended: nobody waits for it any more. */
  abandon(): void {
    this.#isOpen = false;
    this.#retry?.cancel();
    this.#closing?.cancel();
    this.#cancelTimeouts();
  }

  #cancelTimeouts(): void {
    for (const timeout of this.#timeouts) timeout.cancel();
  }

  #close(): void {
    this.abandon();
    this.run.activities.delete(this.command.seq);
  }
}
