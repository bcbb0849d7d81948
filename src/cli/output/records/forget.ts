import type { Static } from 'typebox';
import { type CommandOutput, count, defineRecord, flag, nullable, text } from '../../../cli-kit/record-schema.ts';

const ListedPagesRecord = defineRecord(
  'listed_pages',
  'Pages that `ledger forget` keeps, because a watch lists them.',
  {
    watch: text('name of the watch that lists them'),
    pages: count('such pages'),
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
      pages: count('pages forgotten, or with `--dry-run` those that would be'),
      kept: count('selected pages that keep their addresses'),
      sitemaps: nullable(count('sitemaps whose addresses were removed; null with `--dry-run`')),
      texts: nullable(count('messages and samples from which addresses were removed; null with `--dry-run`')),
      freed_bytes: nullable(count('bytes that the SQLite file became smaller by; null without `--vacuum`')),
      dry_run: flag('whether nothing was forgotten'),
    },
  },
};
