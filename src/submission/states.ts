import { SUBMISSION_STATES } from '../../contract/states.ts';

/** States after which nothing more is expected. The specification does not say which; accounts may set others. */
export const DEFAULT_TERMINAL_STATES: readonly string[] = ['completed', 'partial', 'failed'];

/** What a newly seen state means for a job whose last recorded state is known. */
export type StateMove =
  | { readonly kind: 'same' }
  | { readonly kind: 'moved'; readonly state: string; readonly terminal: boolean }
  /** Not recorded: what was recorded stays. */
  | { readonly kind: 'refused' };

/**
 * A job goes forward: queued, processing, then an end. An end is final: on its account nothing is bought again because
 * the service later says otherwise. A state that we do not know counts as open, wherever it comes, and is shown.
 */
export function decideStateMove(known: string, seen: string, terminalStates: readonly string[]): StateMove {
  if (seen === known) return { kind: 'same' };
  if (terminalStates.includes(known) || (known === 'processing' && seen === 'queued')) {
    return { kind: 'refused' };
  }
  return { kind: 'moved', state: seen, terminal: terminalStates.includes(seen) };
}

/** Whether a state is one of the specification's or of the account's own. */
export function isKnownState(state: string, terminalStates: readonly string[]): boolean {
  return terminalStates.includes(state) || SUBMISSION_STATES.some((each) => each === state);
}
