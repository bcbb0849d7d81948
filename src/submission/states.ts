/** States after which nothing more is expected. The specification does not say which; accounts may set others. */
export const DEFAULT_TERMINAL_STATES: readonly string[] = ['completed', 'partial', 'failed'];

/** What a newly seen state means for a job whose last recorded state is known. */
export type StateMove =
  | { readonly kind: 'same' }
  | { readonly kind: 'moved'; readonly state: string; readonly terminal: boolean }
  /** Not recorded: what was recorded stays. */
  | { readonly kind: 'refused'; readonly message: string };

/**
 * A job goes forward: queued, processing, then an end. An end is final: on its account nothing is bought again because
 * the service later says otherwise. A state that we do not know counts as open, and is shown.
 */
export function moveOf(known: string, seen: string, terminalStates: readonly string[]): StateMove {
  if (seen === known) return { kind: 'same' };
  const wasTerminal = terminalStates.includes(known);
  const terminal = terminalStates.includes(seen);
  if (wasTerminal || (!terminal && rank(seen) < rank(known))) {
    return {
      kind: 'refused',
      message:
        `the service now calls the job ${seen} after it was ${known}; ${known} stays recorded and nothing is ` +
        'bought again. Ask the service if the job matters',
    };
  }
  return { kind: 'moved', state: seen, terminal };
}

/** How far along a state is; an unknown one lies between queued and the ends. */
function rank(state: string): number {
  return state === 'queued' ? 0 : 1;
}
