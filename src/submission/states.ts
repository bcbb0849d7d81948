import { SUBMISSION_STATES } from '../../contract/states.ts';

/** The terminal states of a job. The specification does not define them; accounts may set others. */
export const DEFAULT_TERMINAL_STATES: readonly string[] = ['completed', 'partial', 'failed'];

/** What a reported state means for a job with a recorded state. */
export type StateMove =
  | { readonly kind: 'same' }
  | { readonly kind: 'moved'; readonly state: string; readonly terminal: boolean }
  /** Not recorded: the recorded state stays. */
  | { readonly kind: 'refused' };

/**
 * A job only moves forward: queued, processing, then a terminal state. Terminal states are final: nothing is bought again
 * because the service later reports another one. An unknown state counts as open and is shown.
 */
export function decideStateMove(recorded: string, reported: string, terminalStates: readonly string[]): StateMove {
  if (reported === recorded) return { kind: 'same' };
  if (terminalStates.includes(recorded) || (recorded === 'processing' && reported === 'queued')) {
    return { kind: 'refused' };
  }
  return { kind: 'moved', state: reported, terminal: terminalStates.includes(reported) };
}

/** Whether the specification or the account defines a state. */
export function isKnownState(state: string, terminalStates: readonly string[]): boolean {
  return terminalStates.includes(state) || SUBMISSION_STATES.some((each) => each === state);
}
