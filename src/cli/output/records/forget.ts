import type { Static } from 'typebox';
import { type CommandOutput, count, defineRecord, flag, nullable, text } from '../../../cli-kit/record-schema.ts';

const ListedPagesRecord = defineRecord(
  'listed_pages',
  'Pages that `ledger forget` keeps, because a watch lists them.',
  {
    watch: text('name of the watch'),
    pages: count('pages listed'),
  },
);

export const toListedPagesRecord = (watch: string, pages: number): Static<typeof ListedPagesRecord> => ({
  type: 'listed_pages',
  watch,
  pages,
});

export const FORGET_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'ledger forget': {
    records: [ListedPagesRecord],
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
