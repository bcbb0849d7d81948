import type { Static } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  instant,
  nullable,
  text,
  toInstantOrNull,
} from '../../../cli-kit/record-schema.ts';
import type { LedgerCopy } from '../../../ledger/back-up.ts';

const LedgerCopyRecord = defineRecord('ledger_copy', 'A file that holds a copy of the ledger.', {
  file: text('path'),
  ledger: text('id of the ledger'),
  urls: count('URLs in it'),
  batches: count('batches in it'),
  last_accepted_at: nullable(instant('last acceptance')),
});

export const toLedgerCopyRecord = (file: string, copy: LedgerCopy): Static<typeof LedgerCopyRecord> => ({
  type: 'ledger_copy',
  file,
  ledger: copy.ledger,
  urls: copy.urls,
  batches: copy.batches,
  last_accepted_at: toInstantOrNull(copy.lastAcceptedAt),
});

export const BACKUP_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  backup: { records: [LedgerCopyRecord], summary: { bytes: count('size') } },
  restore: {
    records: [LedgerCopyRecord],
    summary: { kept: nullable(text('where the old ledger is kept')) },
  },
};
