import type { Static } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  flag,
  instant,
  list,
  micros,
  nullable,
  oneOf,
  text,
  texts,
  toInstant,
  toInstantOrNull,
} from '../../../cli-kit/record-schema.ts';
import { Type } from '../../../json-schema/type.ts';
import type { Quarantined } from '../../../ledger/jobs/quarantine.ts';
import type { Purchase, UrlCheck, UrlHistory } from '../../../ledger/reports/url-history.ts';
import { formatVersion } from '../../../url/version.ts';
import { BATCH_STATES } from './batch.ts';

export const URL_STATES = ['known', 'planned', 'submitted', 'completed', 'failed', 'held', 'quarantined'] as const;
const DUE = ['new', 'changed', 'retry', 'not_found', 'released'] as const;
const RESULTS = ['found', 'not_found', 'unknown'] as const;

export const PurchaseFields = Type.Object({
  generation: count('1 for the first purchase'),
  batch: count('number of the batch'),
  batch_state: oneOf(BATCH_STATES, 'state of the batch'),
  batch_reason: nullable(text('why')),
  idempotency_key: nullable(text('key of its request')),
  reference: nullable(text('reference of the job')),
  planned_at: instant('when it was planned'),
  accepted_at: nullable(instant('when accepted')),
  charge_micros: nullable(micros('share of the charge of the batch')),
  job_state: nullable(text('state of the job')),
  result: nullable(text('as the service reported it')),
  result_reason: nullable(text('reason that the service reported')),
  request_ids: texts("for the service's support"),
});

export const CheckFields = Type.Object({
  at: nullable(instant('when it was checked')),
  result: nullable(oneOf(RESULTS, 'index check')),
  detail: nullable(text("the service's word")),
  request_id: nullable(text("for the service's support")),
  state: text('state of the check'),
});

const UrlHistoryRecord = defineRecord('url_history', 'The history of a URL in one watch.', {
  url: text('the URL, normalized'),
  watch: text('name of the watch'),
  state: oneOf(URL_STATES, 'where it stands'),
  reason: nullable(text('why')),
  due: nullable(oneOf(DUE, 'reason to buy it next')),
  due_at: nullable(instant('not before; null when at once, or not at all')),
  generation: count('how often it was planned'),
  failures: count('failures in a row'),
  lastmod: nullable(text('the latest in a sitemap, in UTC')),
  sitemap: nullable(text('the sitemap where first found; null when `recover` found it')),
  sitemap_read_at: nullable(instant('when that sitemap was last read to its end')),
  first_run: nullable(text('the run that found it; null when `recover` found it')),
  first_run_at: nullable(instant('start of `first_run`')),
  changed_run: nullable(text('the run that last saw its lastmod change')),
  gone_run: nullable(text('run since which it is in no sitemap')),
  forgotten_at: nullable(instant('when `ledger forget` removed its address')),
  purchases: list(PurchaseFields, 'oldest first'),
  index_checks: list(CheckFields, 'oldest first'),
  next_check_at: nullable(instant('next check')),
});

export const toPurchase = (purchase: Purchase): Static<typeof PurchaseFields> => ({
  generation: purchase.generation,
  batch: purchase.batch,
  batch_state: purchase.batchState,
  batch_reason: purchase.batchReason,
  idempotency_key: purchase.key,
  reference: purchase.reference,
  planned_at: toInstant(purchase.plannedAt),
  accepted_at: toInstantOrNull(purchase.acceptedAt),
  charge_micros: purchase.charge,
  job_state: purchase.jobState,
  result: purchase.result,
  result_reason: purchase.resultReason,
  request_ids: [...purchase.requestIds],
});

export const toCheck = (check: UrlCheck): Static<typeof CheckFields> => ({
  at: toInstantOrNull(check.at),
  result: check.result === 'not-found' ? 'not_found' : check.result,
  detail: check.detail,
  request_id: check.requestId,
  state: check.state,
});

export function toUrlHistoryRecord(history: UrlHistory): Static<typeof UrlHistoryRecord> {
  return {
    type: 'url_history',
    url: history.url,
    watch: history.watch,
    state: history.state,
    reason: history.reason,
    due: history.due === 'not-found' ? 'not_found' : history.due,
    due_at: toInstantOrNull(history.dueAt),
    generation: history.generation,
    failures: history.failures,
    lastmod: history.version === null ? null : formatVersion(history.version),
    sitemap: history.sitemap,
    sitemap_read_at: toInstantOrNull(history.sitemapReadAt),
    first_run: history.firstRun?.run ?? null,
    first_run_at: toInstantOrNull(history.firstRun?.at ?? null),
    changed_run: history.changedRun,
    gone_run: history.goneRun,
    forgotten_at: toInstantOrNull(history.forgottenAt),
    purchases: history.purchases.map(toPurchase),
    index_checks: history.checks.map(toCheck),
    next_check_at: toInstantOrNull(history.nextCheckAt),
  };
}

const QuarantinedRecord = defineRecord('quarantined', 'A URL in quarantine.', {
  watch: text('name of the watch'),
  url: text('the URL'),
  reason: text('why'),
});

export const toQuarantinedRecord = ({ watch, url, reason }: Quarantined): Static<typeof QuarantinedRecord> => ({
  type: 'quarantined',
  watch,
  url,
  reason,
});

const ReleasedRecord = defineRecord('released', 'A URL that `quarantine release` was asked to release.', {
  watch: text('name of the watch'),
  url: text('the URL'),
  released: flag('false: it was not in quarantine'),
});

export const toReleasedRecord = (watch: string, url: string, released: boolean): Static<typeof ReleasedRecord> => ({
  type: 'released',
  watch,
  url,
  released,
});

export const URL_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'ledger show': {
    records: [UrlHistoryRecord],
    summary: { url: text('the URL, normalized'), watches: count('watches that know it') },
  },
  'quarantine list': { records: [QuarantinedRecord], summary: { quarantined: count('in quarantine') } },
  'quarantine release': { records: [ReleasedRecord], summary: { released: count('URLs released') } },
};
