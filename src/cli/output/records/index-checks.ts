import { type CommandOutput, count, flag, instant, nullable, oneOf, text } from '../../../cli-kit/record-schema.ts';
import { recordOf } from '../../../cli-kit/record-table.ts';
import type { IndexState } from '../../../ledger/reports/index-states.ts';

const RESULTS = ['found', 'not_found', 'unknown'] as const;

export const toIndexStateRecord = recordOf<IndexState>()('index_state', 'What the last index check of a URL said.', {
  watch: text('name of the watch'),
  url: text('the URL, normalized'),
  result: [nullable(oneOf(RESULTS, 'index check')), ({ result }) => (result === 'not-found' ? 'not_found' : result)],
  checked_at: nullable(instant('last check')),
  completed_at: instant('when completed'),
  checks: count('checks since'),
  misses: count('last checks in a row that did not find it'),
  next_check_at: nullable(instant('next check')),
  gone: flag('in no sitemap any more'),
});

export const INDEX_CHECKS_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'index-checks list': { records: [toIndexStateRecord.schema], summary: { urls: count('URLs listed') } },
};
