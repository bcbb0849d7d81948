import type { Static } from 'typebox';
import { type CommandOutput, count, defineRecord, flag, nullable, text } from '../../../cli-kit/record-schema.ts';

const PrunedRecord = defineRecord('pruned', 'Details of one kind that were removed from the ledger.', {
  table: text('name of the table'),
  rows: count('rows removed, or to remove'),
});

export const toPrunedRecord = (table: string, rows: number): Static<typeof PrunedRecord> => ({
  type: 'pruned',
  table,
  rows,
});

export const PRUNE_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'ledger prune': {
    records: [PrunedRecord],
    summary: {
      rows: count('rows of all kinds'),
      dry_run: flag('a dry run'),
      archive: nullable(text('where they are kept')),
      freed_bytes: nullable(count('freed in the SQLite file; null without `--vacuum`')),
    },
  },
};
