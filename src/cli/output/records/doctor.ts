import type { Static } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  flag,
  nullable,
  oneOf,
  text,
} from '../../../cli-kit/record-schema.ts';
import { CHECKS, type Finding } from '../../../connector/doctor/finding.ts';

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

export const DOCTOR_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  doctor: {
    records: [FindingRecord],
    summary: {
      findings: count('everything that was looked at'),
      warnings: count('of them warnings'),
      failures: count('of them failures'),
    },
  },
};
