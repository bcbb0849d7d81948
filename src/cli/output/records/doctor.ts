import {
  type CommandOutput,
  count,
  flag,
  micros,
  nullable,
  oneOf,
  text,
  texts,
} from '../../../cli-kit/record-schema.ts';
import { named, plainRecord, recordOf } from '../../../cli-kit/record-table.ts';
import { CHECKS, type Finding } from '../../../connector/doctor/finding.ts';
import type { Proposal, Reading } from '../../../connector/learn/learned.ts';
import { REQUESTS } from '../../../connector/learn/read-values.ts';
import type { BatchLine } from '../../../ledger/reports/lists.ts';
import { BATCH_STATES } from './batch.ts';

const LEVELS = ['ok', 'warn', 'fail'] as const;

export const toFindingRecord = recordOf<Finding>()({
  type: named('finding', 'What was found in one place.'),
  check: oneOf(CHECKS, 'what was looked at'),
  subject: nullable(text('the account or watch that it is about; null for the whole')),
  level: oneOf(LEVELS, 'how it is'),
  message: text('what was found'),
  next: nullable(text('what to do; null when nothing')),
  transient: flag('whether a failure may pass by itself: the other side does not respond'),
});

interface OfAccount {
  readonly account: string;
}

export const toReadingRecord = recordOf<Reading & OfAccount>()({
  type: named('reading', 'With --learn: a value of a response, or a field that nothing reads.'),
  account: text('name of the account'),
  request: oneOf(REQUESTS, 'the request'),
  value: nullable(text('what it is; null: nothing is read from this field')),
  path: nullable(text('where it stands in the response; null: it was not found')),
  shown: nullable(text('what is there; null: not one value, but a list')),
  read: nullable(text('what was read; null: nothing')),
});

export const toProposalRecord = recordOf<Proposal & OfAccount>()({
  type: named('proposal', 'With --learn: a setting for what could not be read.'),
  account: text('name of the account'),
  setting: text('its name, below the account'),
  values: [texts('what it should have; what it may have, where only you can say'), ({ values }) => values.map(String)],
  why: text('what shows it'),
  decided: flag('false: the responses do not say it, only you can'),
});

export const toTrialRecord = recordOf<BatchLine & { readonly url: string; readonly request: string }>()({
  type: named('trial', 'With --spend: the page that was bought.'),
  url: text('the page'),
  watch: text('its watch'),
  account: text('name of the account'),
  batch: count('number of its batch'),
  idempotency_key: [nullable(text('the key of the purchase')), ({ key }) => key],
  request: text('the body that was sent'),
  state: oneOf(BATCH_STATES, 'of the batch'),
  reference: nullable(text('of the job; null: none is known')),
  job_state: nullable(text('of the job, as it was last read')),
  expected_cost_micros: nullable(micros('what it was expected to cost')),
  charge_micros: nullable(micros('what it was charged; null: not known')),
  in_doubt: [flag('whether it may have been charged and nobody knows'), ({ inDoubtSince }) => inDoubtSince !== null],
});

export const toBlockRecord = plainRecord({
  type: named('block', 'With --learn: the decided settings of an account as YAML.'),
  account: text('name of the account'),
  yaml: text('the block, which takes the place of the same settings in the file; undecided ones are comments'),
});

export const DOCTOR_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  doctor: {
    records: [toFindingRecord, toTrialRecord, toReadingRecord, toProposalRecord, toBlockRecord].map(
      ({ schema }) => schema,
    ),
    summary: {
      findings: count('everything that was looked at'),
      warnings: count('of them warnings'),
      failures: count('of them failures'),
      proposals: count('settings that --learn proposes; 0 without it'),
    },
  },
};
