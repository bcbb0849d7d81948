import { type CommandOutput, count, instant, nullable, text } from '../../../cli-kit/record-schema.ts';
import { recordOf } from '../../../cli-kit/record-table.ts';
import type { LedgerCopy } from '../../../ledger/back-up.ts';

export const toLedgerCopyRecord = recordOf<LedgerCopy & { readonly file: string }>()(
  'ledger_copy',
  'A file that holds a copy of the ledger.',
  {
    file: text('path'),
    ledger: text('id of the ledger'),
    urls: count('URLs in it'),
    batches: count('batches in it'),
    last_accepted_at: nullable(instant('last acceptance')),
  },
);

export const BACKUP_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  backup: { records: [toLedgerCopyRecord.schema], summary: { bytes: count('size') } },
  restore: {
    records: [toLedgerCopyRecord.schema],
    summary: { kept: nullable(text('where the old ledger is kept')) },
  },
};
