import type { Static } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  flag,
  instant,
  nullable,
  oneOf,
  text,
  toInstant,
  toInstantOrNull,
} from '../../../cli-kit/record-schema.ts';
import type { IndexState } from '../../../ledger/reports/index-states.ts';

const RESULTS = ['found', 'not_found', 'unknown'] as const;

const IndexStateRecord = defineRecord('index_state', 'What the last index check of a URL said.', {
  watch: text('name of the watch'),
  url: text('the URL, normalized'),
  result: nullable(oneOf(RESULTS, 'index check')),
  checked_at: nullable(instant('last check')),
  completed_at: instant('when completed'),
  checks: count('checks since'),
  misses: count('last checks in a row that did not find it'),
  next_check_at: nullable(instant('next check')),
  gone: flag('in no sitemap any more'),
});

export const toIndexStateRecord = (state: IndexState): Static<typeof IndexStateRecord> => ({
  type: 'index_state',
  watch: state.watch,
  url: state.url,
  result: state.result === 'not-found' ? 'not_found' : state.result,
  checked_at: toInstantOrNull(state.checkedAt),
  completed_at: toInstant(state.completedAt),
  checks: state.checks,
  misses: state.misses,
  next_check_at: toInstantOrNull(state.nextCheckAt),
  gone: state.gone,
});

export const INDEX_CHECKS_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'index-checks list': { records: [IndexStateRecord], summary: { urls: count('URLs listed') } },
};
