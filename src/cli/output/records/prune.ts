import { type CommandOutput, count, flag, nullable, text } from '../../../cli-kit/record-schema.ts';
import { plainRecord } from '../../../cli-kit/record-table.ts';

export const toPrunedRecord = plainRecord('pruned', 'Details of one kind that were removed from the ledger.', {
  table: text('name of the table'),
  rows: count('rows removed, or to remove'),
});

export const PRUNE_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'ledger prune': {
    records: [toPrunedRecord.schema],
    summary: {
      rows: count('rows of all kinds'),
      dry_run: flag('a dry run'),
      archive: nullable(text('where they are kept')),
      freed_bytes: nullable(count('freed in the SQLite file; null without `--vacuum`')),
    },
  },
};
