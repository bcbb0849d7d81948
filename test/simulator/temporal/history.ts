/** What a workflow asked for, in the order in which it asked. Compared with the recorded ones on replay. */
export type Command =
  | {
      readonly kind: 'activity';
      readonly seq: number;
      readonly type: string;
      readonly args: string;
      readonly options: ActivityOptions;
      readonly at: number;
    }
  | { readonly kind: 'cancel-activity'; readonly seq: number }
  | { readonly kind: 'timer'; readonly seq: number; readonly ms: number; readonly at: number; readonly summary: string }
  | { readonly kind: 'cancel-timer'; readonly seq: number }
  | { readonly kind: 'attributes'; readonly values: string }
  | { readonly kind: 'complete'; readonly result: string }
  | { readonly kind: 'fail'; readonly failure: Failure }
  | { readonly kind: 'continue'; readonly args: string };

/** Times in milliseconds. The stand-in's worker does all duties at once: queue and priority are for tests of workflows. */
export interface ActivityOptions {
  /** Whose workers it is given to; null: that of its workflow. */
  readonly taskQueue: string | null;
  readonly priorityKey?: number | undefined;
  readonly startToCloseMs: number;
  /** For all attempts and the waits between them; null: no limit. */
  readonly scheduleToCloseMs: number | null;
  readonly heartbeatMs: number | null;
  readonly initialMs: number;
  readonly coefficient: number;
  readonly maximumMs: number;
  readonly attempts: number;
}

/** A failure as it travels: what the SDK's converter keeps of an error. */
export interface Failure {
  readonly kind: 'application' | 'cancelled' | 'timeout' | 'terminated';
  readonly message: string;
  readonly type: string;
  readonly nonRetryable: boolean;
  readonly nextRetryMs: number | null;
}

/** What happened to a workflow, in the order in which it hears of it. Payloads are JSON. */
export type Job =
  | { readonly kind: 'start' }
  | { readonly kind: 'signal'; readonly name: string; readonly args: string }
  | { readonly kind: 'update'; readonly id: string; readonly name: string; readonly args: string }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'activity'; readonly seq: number; readonly result: string }
  | { readonly kind: 'activity-failed'; readonly seq: number; readonly failure: Failure; readonly type: string }
  | { readonly kind: 'timer'; readonly seq: number };

/** One workflow task: what the workflow heard, and what the workflow asked for then. */
export interface Task {
  readonly jobs: readonly Job[];
  /** What workflowInfo().continueAsNewSuggested was. */
  readonly suggested: boolean;
  readonly commands: readonly Command[];
}

export const toPayload = (value: unknown): string => JSON.stringify(value === undefined ? [] : [value]);
export const fromPayload = (text: string): unknown => (JSON.parse(text) as unknown[])[0];

/** What of a command must be the same on replay. Times and payload contents may differ, as on the real server. */
export function describeCommand(command: Command): string {
  switch (command.kind) {
    case 'activity':
      return `activity ${command.seq} ${command.type}`;
    case 'timer':
    case 'cancel-timer':
    case 'cancel-activity':
      return `${command.kind} ${command.seq}`;
    default:
      return command.kind;
  }
}

/** Events that the real server would have counted. */
export const countEvents = ({ jobs, commands }: Task): number => 3 + commands.length + 2 * jobs.length;
