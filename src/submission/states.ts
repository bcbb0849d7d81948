import { SUBMISSION_STATES } from '../../contract/states.ts';

/** The terminal states of a job. The specification does not define them; accounts may set others. */
export const DEFAULT_TERMINAL_STATES: readonly string[] = ['completed', 'partial', 'failed'];

/** In these two states an open URL has the result of its job, whatever else its URL says. */
const DECIDES_ALL: readonly string[] = ['completed', 'failed'];

/** Some services report partial before the last URL is done: a job with open URLs is over after this many quiet polls. */
const MOST_QUIET_POLLS = 8;

/** A job as the service shows it. */
export interface ShownJob {
  readonly state: string;
  /** The account's terminal states. */
  readonly terminalStates: readonly string[];
  /** URLs that are neither completed nor failed; default: 0. */
  readonly openUrls?: number;
  /** Polls since its state or the number of its open URLs last changed; default: 0. */
  readonly quietPolls?: number;
}

/**
 * Whether a job is over: nothing more will happen to its URLs. It is completed, or failed; in another terminal state it is
 * over when each URL has its result, or when nothing has changed for some polls.
 */
export function isOver({ state, terminalStates, openUrls = 0, quietPolls = 0 }: ShownJob): boolean {
  if (!terminalStates.includes(state)) return false;
  return DECIDES_ALL.includes(state) || openUrls === 0 || quietPolls > MOST_QUIET_POLLS;
}

/** What a reported state means for a job with a recorded state. */
export type StateMove = 'same' | 'moved' /** Not recorded: the recorded state stays. */ | 'refused';

/**
 * The state of a job that was over is final: nothing is bought again because the service later reports another one. Any
 * other job may change to any state: the specification shows no transitions.
 */
export function decideStateMove(
  recorded: { readonly state: string; readonly over: boolean },
  reported: string,
): StateMove {
  if (reported === recorded.state) return 'same';
  return recorded.over ? 'refused' : 'moved';
}

/** Whether the specification or the account defines a state. */
export function isKnownState(state: string, terminalStates: readonly string[]): boolean {
  return terminalStates.includes(state) || SUBMISSION_STATES.some((each) => each === state);
}
