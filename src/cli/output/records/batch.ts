import {
  type CommandOutput,
  count,
  group,
  instant,
  micros,
  nullable,
  oneOf,
  text,
} from '../../../cli-kit/record-schema.ts';
import { fieldsOf, named, plainRecord, recordOf } from '../../../cli-kit/record-table.ts';
import type { BatchState } from '../../../ledger/purchases/states.ts';
import type { BatchUrl } from '../../../ledger/reports/batch-urls.ts';
import type { BatchLine, RunDecisionLine } from '../../../ledger/reports/lists.ts';

/** States of a batch. The compiler holds them to the ledger's own, whose names are part of this contract. */
export const BATCH_STATES = [
  'planned',
  'sending',
  'accepted',
  'refused',
  'needs_review',
  'cancelled',
] as const satisfies readonly BatchState[];

const decision = fieldsOf<RunDecisionLine>()({
  decision: oneOf(['approved', 'rejected'], 'what was decided'),
  by: text('who, with the note'),
  at: instant('when'),
});

export const toBatchRecord = recordOf<BatchLine>()({
  type: named('batch', 'A batch of URLs: one submission, or the intent to make it.'),
  batch: count('number of the batch'),
  watch: text('name of the watch'),
  account: text('name of the account'),
  run: nullable(text('the run that planned it; null when `recover` found it')),
  decision: [
    nullable(group(decision.schemas, 'decision on its run, when held')),
    (it) => it.decision && decision.read(it.decision),
  ],
  service: oneOf(['standard', 'fast'], 'service level'),
  project: text('project, as sent'),
  idempotency_key: [nullable(text('key of its request')), ({ key }) => key],
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
  next_attempt_at: [nullable(instant('not before; null when at once, or never')), ({ notBefore }) => notBefore],
});

export const toBatchUrlRecord = recordOf<BatchUrl>()({
  type: named('batch_url', 'A URL of a batch, in the order in which it is sent.'),
  url: text('the URL, normalized'),
  generation: count('how often it was planned'),
  result: nullable(text('as the service reported it')),
  result_reason: nullable(text('reason that the service reported')),
  state: text('state of the URL now'),
  state_reason: nullable(text('why')),
});

export const toResolvedRecord = plainRecord({
  type: named('resolved', 'A batch that was resolved.'),
  batch: count('number of the batch'),
  how: oneOf(
    ['charged', 'release', 'leave'],
    'charged: it is followed as a job; release: its URLs are due again; leave: they are not',
  ),
  urls: count('URLs concerned; of an open job those without a result'),
});

export const toCancelledRecord = plainRecord({
  type: named('cancelled', 'A batch that was cancelled.'),
  batch: count('number of the batch'),
  urls: count('URLs that are due again'),
});

const LIST: CommandOutput = { records: [toBatchRecord.schema], summary: { batches: count('batches listed') } };
const SHOW: CommandOutput = {
  records: [toBatchRecord.schema, toBatchUrlRecord.schema],
  summary: {
    batch: count('number of the batch'),
    urls: count('URLs in it'),
    unread: nullable(text("unreadable parts of the job's answer, and the setting that helps")),
  },
};
const RESOLVE: CommandOutput = { records: [toResolvedRecord.schema], summary: { batch: count('number of the batch') } };

export const BATCH_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'batches list': LIST,
  'batches show': SHOW,
  'batches resolve': RESOLVE,
  'batches cancel': {
    records: [toCancelledRecord.schema],
    summary: { batch: count('number of the batch'), urls: count('URLs that are due again') },
  },
  'submissions list': LIST,
  'submissions show': SHOW,
  'submissions resolve': RESOLVE,
};
