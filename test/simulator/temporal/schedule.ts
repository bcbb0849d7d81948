import { createHash } from 'node:crypto';
import { type Calendar, findNext, getZone, parseCron, type Zone } from './calendar.ts';
import { describeExecution } from './describe-execution.ts';
import type { StartedBy, StartOptions, VirtualTemporal } from './server.ts';
import { toMs } from './workflow.ts';

/** As a client describes it. What the stand-in does not read is kept for whoever asks for it. */
export interface ScheduleSettings {
  readonly spec: {
    readonly cronExpressions?: readonly string[];
    readonly timezone?: string;
    readonly jitter?: string | number;
  };
  readonly action: Omit<StartOptions, 'attributes'> & {
    readonly workflowType: string;
    readonly typedSearchAttributes?: readonly { readonly key: { readonly name: string }; readonly value: unknown }[];
  };
  readonly policies: { readonly overlap?: string; readonly catchupWindow?: string | number };
  readonly state: { readonly paused: boolean; readonly note: string };
}

interface Compiled {
  readonly calendars: readonly Calendar[];
  readonly zone: Zone;
  readonly jitterMs: number;
  readonly catchupMs: number;
}

/** The default of the server. */
const CATCHUP_MS = 365 * 86_400_000;
const MOST_TIMES = 32;

/** A schedule of the server: starts a workflow at each time of its cron lines, unless the last one still runs. */
export class VirtualSchedule {
  readonly id: string;
  settings: ScheduleSettings;
  taken = 0;
  skipped = 0;
  missed = 0;
  readonly #server: VirtualTemporal;
  #compiled: Compiled;
  /** Times up to this one are done with. */
  #doneUntil: number;
  #timer: { cancel(): void } | null = null;
  #last: string | null = null;

  constructor(server: VirtualTemporal, id: string, settings: ScheduleSettings) {
    this.#server = server;
    this.id = id;
    this.settings = settings;
    this.#compiled = compile(settings);
    this.#doneUntil = server.kernel.now();
    this.#arm();
  }

  /** Times before a change of the settings are not made up for. */
  update(settings: ScheduleSettings): void {
    this.process();
    this.settings = settings;
    this.#compiled = compile(settings);
    this.#times.clear();
    this.#doneUntil = Math.max(this.#doneUntil, this.#server.kernel.now());
    this.#arm();
  }

  trigger(): void {
    this.#start(Math.floor(this.#server.kernel.now() / 1_000) * 1_000, 'trigger');
  }

  delete(): void {
    this.#timer?.cancel();
  }

  listNext(count: number): number[] {
    const times: number[] = [];
    for (let at = this.#findNext(this.#server.kernel.now()); at !== null && times.length < count; ) {
      times.push(at);
      at = this.#findNext(at);
    }
    return times;
  }

  /** Takes the times that have come. Called when a timer fires, and when the server is up again. */
  process(): void {
    const { kernel, isUp } = this.#server;
    if (!isUp) return;
    const now = kernel.now();
    for (let at = this.#findNext(this.#doneUntil); at !== null && this.#delay(at) <= now; ) {
      this.#doneUntil = at;
      if (!this.settings.state.paused) {
        if (now - at > this.#compiled.catchupMs) this.missed += 1;
        else this.#start(at, 'time');
      }
      at = this.#findNext(at);
    }
    this.#arm();
  }

  #arm(): void {
    this.#timer?.cancel();
    const at = this.#findNext(this.#doneUntil);
    if (at === null) return;
    const { kernel } = this.#server;
    this.#timer = kernel.schedule(this.#delay(at) - kernel.now(), null, () => this.process());
  }

  readonly #times = new Map<number, number | null>();

  /** Asked several times for each time. */
  #findNext(after: number): number | null {
    const known = this.#times.get(after);
    if (known !== undefined) return known;
    if (this.#times.size >= MOST_TIMES) this.#times.clear();
    const next = this.#computeNext(after);
    this.#times.set(after, next);
    return next;
  }

  #computeNext(after: number): number | null {
    const { calendars, zone } = this.#compiled;
    const times = calendars.map((each) => findNext(each, zone, after)).filter((at) => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** When a time is acted upon: later by some part of the jitter, the same for each time. */
  #delay(at: number): number {
    const { jitterMs } = this.#compiled;
    if (jitterMs === 0) return at;
    const next = this.#findNext(at) ?? at + jitterMs;
    const share = createHash('sha256').update(`${this.id} ${at}`).digest().readUInt32BE() / 2 ** 32;
    return at + Math.floor(share * Math.min(jitterMs, next - at));
  }

  #start(at: number, by: StartedBy): void {
    const server = this.#server;
    const last = this.#last === null ? undefined : server.getRun(this.#last);
    if (last?.status === 'RUNNING') {
      this.skipped += 1;
      server.kernel.trace(
        `schedule ${this.id} skips ${new Date(at).toISOString()}, because of ${describeExecution(last)}`,
      );
      return;
    }
    const { workflowType, workflowId, taskQueue, args, typedSearchAttributes = [] } = this.settings.action;
    const id = `${workflowId}-${new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')}`;
    if (server.isRunning(id)) return;
    this.taken += 1;
    this.#last = id;
    server.kernel.trace(`schedule ${this.id} starts ${id}`);
    const attributes = Object.fromEntries(typedSearchAttributes.map(({ key, value }) => [key.name, value]));
    server.onScheduled(workflowType, args, by);
    server.start(workflowType, { workflowId: id, taskQueue, args, attributes });
  }
}

function compile({ spec, policies }: ScheduleSettings): Compiled {
  const { cronExpressions = [], timezone = 'UTC', jitter = 0 } = spec;
  const { overlap = 'SKIP', catchupWindow = CATCHUP_MS } = policies;
  if (overlap !== 'SKIP') throw new TypeError(`the stand-in does not know the overlap policy ${overlap}`);
  return {
    calendars: cronExpressions.map(parseCron),
    zone: getZone(timezone),
    jitterMs: toMs(jitter),
    catchupMs: toMs(catchupWindow),
  };
}
