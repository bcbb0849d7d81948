import { defineSignal } from '@temporalio/workflow';
import type { DispatchStep, TrackInput } from './payloads.ts';

/*
 * Names in histories recorded before the vocabulary of version 0.1 was settled. A workflow that began then
 * replays on today's code, so what it reads is translated here and nowhere else. Remove this file, and the recordings
 * under test/replay/histories that need it, when no such workflow can be running any more.
 */

type RecordedTrackInput = Omit<TrackInput, 'firstPollMs'> & {
  readonly firstPollMs?: number;
  readonly firstLookMs?: number;
};

/** The input of `trackSubmission` as today's code reads it. */
export function readTrackInput({ firstLookMs, ...input }: RecordedTrackInput): TrackInput {
  return { ...input, firstPollMs: input.firstPollMs ?? firstLookMs ?? 0 };
}

type RecordedStep =
  | DispatchStep
  | { readonly kind: 'parked'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** The result of `sendNextBatch` as today's code reads it. */
export function readDispatchStep(step: RecordedStep): DispatchStep {
  if (step.kind === 'parked') return { kind: 'suspended', reason: step.reason };
  if (step.kind === 'refused') return { kind: 'key_rejected', reason: step.reason };
  return step;
}

/** The recorded name of `pollNow`. */
export const recordedPollNowSignal = defineSignal('lookNow');
