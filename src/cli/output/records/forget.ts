import { type CommandOutput, count, flag, nullable, text } from '../../../cli-kit/record-schema.ts';
import { plainRecord } from '../../../cli-kit/record-table.ts';

export const toListedPagesRecord = plainRecord(
  'listed_pages',
  'Pages that `ledger forget` keeps, because a watch lists them.',
  {
    watch: text('name of the watch'),
    pages: count('pages listed'),
  },
);

export const FORGET_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'ledger forget': {
    records: [toListedPagesRecord.schema],
    summary: {
      pages: count('forgotten, or to forget'),
      kept: count('selected pages that keep their addresses'),
      sitemaps: nullable(count('sitemaps removed; null with `--dry-run`')),
      texts: nullable(count('messages and samples changed; null with `--dry-run`')),
      freed_bytes: nullable(count('freed in the SQLite file; null without `--vacuum`')),
      dry_run: flag('a dry run'),
    },
  },
};
