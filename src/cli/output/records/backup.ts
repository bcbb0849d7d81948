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
  file: text('its path'),
  ledger: text('id of the ledger'),
  urls: count('URLs that it knows'),
  batches: count('batches that it knows'),
  last_accepted_at: nullable(instant('when the service accepted the last of them; null without one')),
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
  backup: { records: [LedgerCopyRecord], summary: { bytes: count('size of the file') } },
  restore: {
    records: [LedgerCopyRecord],
    summary: { kept: nullable(text('where the ledger of before is kept; null: there was none')) },
  },
};
