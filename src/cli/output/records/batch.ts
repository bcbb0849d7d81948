import type { Static } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  group,
  instant,
  micros,
  nullable,
  oneOf,
  text,
  toInstant,
  toInstantOrNull,
} from '../../../cli-kit/record-schema.ts';
import type { BatchState } from '../../../ledger/purchases/states.ts';
import type { BatchUrl } from '../../../ledger/reports/batch-urls.ts';
import type { BatchLine } from '../../../ledger/reports/lists.ts';

/** States of a batch. The compiler holds them to the ledger's own, whose names are part of this contract. */
export const BATCH_STATES = [
  'planned',
  'sending',
  'accepted',
  'refused',
  'needs_review',
  'cancelled',
] as const satisfies readonly BatchState[];

const DECISION_FIELDS = {
  decision: oneOf(['approved', 'rejected'], 'what was decided'),
  by: text('who, with the note'),
  at: instant('when'),
};

const BatchRecord = defineRecord('batch', 'A batch of URLs: one submission, or the intent to make it.', {
  batch: count('number of the batch'),
  watch: text('name of the watch'),
  account: text('name of the account'),
  run: nullable(text('the run that planned it; null when `recover` found it')),
  decision: nullable(group(DECISION_FIELDS, 'decision on its run, when held')),
  service: oneOf(['standard', 'fast'], 'service level'),
  project: text('project, as sent'),
  idempotency_key: nullable(text('key of its request')),
  tag: nullable(text('short tag of the key in `project`')),
  urls: count('URLs in it'),
  state: oneOf(
    BATCH_STATES,
    'planned: not sent; sending: an attempt is out or in doubt; accepted: the service has it; refused: not charged, its URLs ' +
      'are in other batches or quarantine; needs_review: you decide; cancelled: not charged, its URLs are due again',
  ),
  reason: nullable(text('why')),
  attempts: count('requests sent for it'),
  expected_cost_micros: nullable(micros('cost at the price of the plan')),
  charge_micros: nullable(micros('reported charge')),
  reference: nullable(text('reference of the job')),
  job_state: nullable(text("state of the job, in the specification's words where it has one")),
  completed: count('URLs completed'),
  failed: count('URLs failed'),
  planned_at: instant('when it was planned'),
  accepted_at: nullable(instant('when accepted')),
  ended_at: nullable(instant('when its job ended')),
  in_doubt_since: nullable(instant('since when the outcome is unknown')),
  next_attempt_at: nullable(instant('not before; null when at once, or never')),
});

export function toBatchRecord(batch: BatchLine): Static<typeof BatchRecord> {
  return {
    type: 'batch',
    batch: batch.batch,
    watch: batch.watch,
    account: batch.account,
    run: batch.run,
    decision: batch.decision && { ...batch.decision, at: toInstant(batch.decision.at) },
    service: batch.service,
    project: batch.project,
    idempotency_key: batch.key,
    tag: batch.tag,
    urls: batch.urls,
    state: batch.state,
    reason: batch.reason,
    attempts: batch.attempts,
    expected_cost_micros: batch.expectedCost,
    charge_micros: batch.charge,
    reference: batch.reference,
    job_state: batch.jobState,
    completed: batch.completed,
    failed: batch.failed,
    planned_at: toInstant(batch.plannedAt),
    accepted_at: toInstantOrNull(batch.acceptedAt),
    ended_at: toInstantOrNull(batch.endedAt),
    in_doubt_since: toInstantOrNull(batch.inDoubtSince),
    next_attempt_at: toInstantOrNull(batch.notBefore),
  };
}

const BatchUrlRecord = defineRecord('batch_url', 'A URL of a batch, in the order in which it is sent.', {
  url: text('the URL, normalized'),
  generation: count('how often it was planned'),
  result: nullable(text('as the service reported it')),
  result_reason: nullable(text('reason that the service reported')),
  state: text('state of the URL now'),
  state_reason: nullable(text('why')),
});

export const toBatchUrlRecord = (url: BatchUrl): Static<typeof BatchUrlRecord> => ({
  type: 'batch_url',
  url: url.url,
  generation: url.generation,
  result: url.result,
  result_reason: url.resultReason,
  state: url.state,
  state_reason: url.stateReason,
});

const HOW = ['charged', 'release', 'leave'] as const;
const ResolvedRecord = defineRecord('resolved', 'A batch that was resolved.', {
  batch: count('number of the batch'),
  how: oneOf(HOW, 'charged: it is followed as a job; release: its URLs are due again; leave: they are not'),
  urls: count('URLs concerned; of an open job those without a result'),
});

export const toResolvedRecord = (
  batch: number,
  how: (typeof HOW)[number],
  urls: number,
): Static<typeof ResolvedRecord> => ({
  type: 'resolved',
  batch,
  how,
  urls,
});

const CancelledRecord = defineRecord('cancelled', 'A batch that was cancelled.', {
  batch: count('number of the batch'),
  urls: count('URLs that are due again'),
});

export const toCancelledRecord = (batch: number, urls: number): Static<typeof CancelledRecord> => ({
  type: 'cancelled',
  batch,
  urls,
});

const LIST: CommandOutput = { records: [BatchRecord], summary: { batches: count('batches listed') } };
const SHOW: CommandOutput = {
  records: [BatchRecord, BatchUrlRecord],
  summary: {
    batch: count('number of the batch'),
    urls: count('URLs in it'),
    unread: nullable(text("unreadable parts of the job's answer, and the setting that helps")),
  },
};
const RESOLVE: CommandOutput = { records: [ResolvedRecord], summary: { batch: count('number of the batch') } };

export const BATCH_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'batches list': LIST,
  'batches show': SHOW,
  'batches resolve': RESOLVE,
  'batches cancel': {
    records: [CancelledRecord],
    summary: { batch: count('number of the batch'), urls: count('URLs that are due again') },
  },
  'submissions list': LIST,
  'submissions show': SHOW,
  'submissions resolve': RESOLVE,
};
