import type { Micros } from '../../../../contract/money.ts';
import { type CommandOutput, count, micros, nullable, text } from '../../../cli-kit/record-schema.ts';
import { plainRecord, recordOf } from '../../../cli-kit/record-table.ts';

export interface RecoveredCounts {
  readonly jobs: number;
  readonly recovered: number;
  readonly answered: number;
  readonly known: number;
  readonly unassigned: number;
  readonly notFound: number;
  readonly urls: number;
  readonly charged: Micros;
  readonly unknownCharges: number;
}

export const toRecoveredRecord = recordOf<RecoveredCounts & { readonly account: string }>()(
  'recovered',
  'What the history of an account brought into the ledger.',
  {
    account: text('name of the account'),
    jobs: count("jobs in the service's history"),
    recovered: count('jobs new to the ledger'),
    answered: count('jobs of batches that were waiting for their answer'),
    known: count('jobs already in the ledger'),
    unassigned: count('jobs of no watch, left out'),
    not_found: count('accepted jobs that the service neither lists nor shows'),
    urls: count('URLs of the recovered jobs'),
    charged_micros: micros('reported charge'),
    unknown_charge_jobs: [count('recovered jobs of unreported charge'), ({ unknownCharges }) => unknownCharges],
  },
);

export const toUnassignedRecord = plainRecord('unassigned', 'A job that fits no watch.', {
  reference: text('reference of the job'),
  project: nullable(text('project of the job')),
  sample: nullable(text('one of its URLs')),
});

export const RECOVER_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  recover: {
    records: [toRecoveredRecord.schema, toUnassignedRecord.schema],
    summary: { jobs: count('jobs of all accounts') },
  },
};
