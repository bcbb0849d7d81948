import type { Static } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  flag,
  nullable,
  oneOf,
  text,
  texts,
} from '../../../cli-kit/record-schema.ts';
import { CHECKS, type Finding } from '../../../connector/doctor/finding.ts';
import type { Proposal, Reading } from '../../../connector/learn/learned.ts';
import { REQUESTS } from '../../../connector/learn/read-values.ts';

const LEVELS = ['ok', 'warn', 'fail'] as const;

const FindingRecord = defineRecord('finding', 'What was found in one place.', {
  check: oneOf(CHECKS, 'what was looked at'),
  subject: nullable(text('the account or watch that it is about; null for the whole')),
  level: oneOf(LEVELS, 'how it is'),
  message: text('what was found'),
  next: nullable(text('what to do; null when nothing')),
  transient: flag('whether a failure may pass by itself: the other side does not respond'),
});

export const toFindingRecord = (finding: Finding): Static<typeof FindingRecord> => ({
  type: 'finding',
  check: finding.check,
  subject: finding.subject,
  level: finding.level,
  message: finding.message,
  next: finding.next,
  transient: finding.transient,
});

const ReadingRecord = defineRecord('reading', 'With --learn: a value of a response, or a field that nothing reads.', {
  account: text('name of the account'),
  request: oneOf(REQUESTS, 'the request'),
  value: nullable(text('what it is; null: nothing is read from this field')),
  path: nullable(text('where it stands in the response; null: it was not found')),
  shown: nullable(text('what is there; null: not one value, but a list')),
  read: nullable(text('what was read; null: nothing')),
});

export const toReadingRecord = (account: string, reading: Reading): Static<typeof ReadingRecord> => ({
  type: 'reading',
  account,
  request: reading.request,
  value: reading.value,
  path: reading.path,
  shown: reading.shown,
  read: reading.read,
});

const ProposalRecord = defineRecord('proposal', 'With --learn: a setting for what could not be read.', {
  account: text('name of the account'),
  setting: text('its name, below the account'),
  values: texts('what it should have; what it may have, where only you can say'),
  why: text('what shows it'),
  decided: flag('false: the responses do not say it, only you can'),
});

export const toProposalRecord = (account: string, proposal: Proposal): Static<typeof ProposalRecord> => ({
  type: 'proposal',
  account,
  setting: proposal.setting,
  values: proposal.values.map(String),
  why: proposal.why,
  decided: proposal.decided,
});

const BlockRecord = defineRecord('block', 'With --learn: the decided settings of an account as YAML.', {
  account: text('name of the account'),
  yaml: text('the block, which takes the place of the same settings in the file; undecided ones are comments'),
});

export const toBlockRecord = (account: string, yaml: string): Static<typeof BlockRecord> => ({
  type: 'block',
  account,
  yaml,
});

export const DOCTOR_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  doctor: {
    records: [FindingRecord, ReadingRecord, ProposalRecord, BlockRecord],
    summary: {
      findings: count('everything that was looked at'),
      warnings: count('of them warnings'),
      failures: count('of them failures'),
      proposals: count('settings that --learn proposes; 0 without it'),
    },
  },
};
