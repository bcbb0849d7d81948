import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';

/**
 * Wakes a dispatcher: batches were planned, the balance was topped up, or the key works again. Wakes a run that waits for its
 * batches: they may all have ended. The ledger says what to do.
 */
export const wakeSignal = defineSignal('wake');

/** Polls a job now instead of at its next scheduled poll. */
export const pollNowSignal = defineSignal('pollNow');

/** The form of the Web UI may be sent empty: then nobody is named. */
export interface Decision {
  /** Who decided, as the ledger and the Web UI show it. */
  readonly by?: string;
  readonly note?: string;
}

/**
 * Who decided, with the note, for the ledger. What was typed into the form of the Web UI may be anything: a text alone is
 * the name.
 */
export function describeDecision(given: unknown): string {
  if (typeof given === 'string' && given.trim() !== '') return given;
  const { by, note } = (typeof given === 'object' && given !== null ? given : {}) as Record<keyof Decision, unknown>;
  const who = typeof by === 'string' && by.trim() !== '' ? by : 'the Web UI, without a name';
  return typeof note === 'string' && note.trim() !== '' ? `${who}: ${note}` : who;
}

/** Continues a held run: the URLs that it found are planned and bought. */
export const approveUpdate = defineUpdate<string, [Decision]>('approve');

/** Ends a held run: nothing of it is bought. Its URLs stay new, and the next run finds them again. */
export const rejectUpdate = defineUpdate<string, [Decision]>('reject');

/** What the workflow does, why and what comes next. The first field is the sentence that a reader wants. */
export interface Status {
  readonly summary: string;
  readonly phase: string;
  readonly [fact: string]: string;
}

export const statusQuery = defineQuery<Status>('status');

/** What a run plans to buy, or what an approval would buy. */
export const planQuery = defineQuery<Readonly<Record<string, unknown>> & { readonly summary: string }>('plan');

/** A few URLs of a run: those that a guard asks about, or those that are planned. */
export const urlsQuery = defineQuery<{ readonly summary: string; readonly sample: readonly string[] }>('urls');
