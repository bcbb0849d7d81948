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
  batch_reason: nullable(text('why the batch is in this state; null when there is nothing to say')),
  idempotency_key: nullable(text('key of its request; null when it is unknown')),
  reference: nullable(text('reference of the job; null until it is accepted')),
  planned_at: instant('when it was planned'),
  accepted_at: nullable(instant('when the service accepted it; null until then')),
  charge_micros: nullable(micros('share of this URL in the charge of the batch; null when it is unknown')),
  job_state: nullable(text('state of the job; null until one is known')),
  result: nullable(text('what the service reported for the URL; null when nothing was reported')),
  result_reason: nullable(text('the reason that the service reported; null when it reported none')),
  request_ids: texts('request ids of the service, for its support'),
});

export const CheckFields = Type.Object({
  at: nullable(instant('when it was checked; null until then')),
  result: nullable(oneOf(RESULTS, 'whether it is in the index; null until it was checked')),
  detail: nullable(text("the service's own word; null when it used none")),
  request_id: nullable(text('request id of the service; null when it sent none')),
  state: text('state of the check'),
});

const UrlHistoryRecord = defineRecord('url_history', 'The history of a URL in one watch.', {
  url: text('the URL, normalized'),
  watch: text('name of the watch'),
  state: oneOf(URL_STATES, 'where it stands'),
  reason: nullable(text('why; null when there is nothing to say')),
  due: nullable(oneOf(DUE, 'why it is bought next; null when it is not')),
  due_at: nullable(instant('not before; null when at once, or not at all')),
  generation: count('how often it was planned'),
  failures: count('how often it failed in a row'),
  lastmod: nullable(text('the latest lastmod that a sitemap shows, in UTC; null without a date')),
  sitemap: nullable(text('the sitemap where it was first found; null when `recover` found it')),
  sitemap_read_at: nullable(instant('when that sitemap was last read to its end; null when never')),
  first_run: nullable(text('the run that found it; null when `recover` found it')),
  first_run_at: nullable(instant('when that run started; null when `recover` found it')),
  changed_run: nullable(text('the run that last saw its lastmod change; null when none did')),
  gone_run: nullable(text('the run since which it is in no sitemap; null when it is in one, or no run found it gone')),
  forgotten_at: nullable(instant('when `ledger forget` removed its address; null when it did not')),
  purchases: list(PurchaseFields, 'every purchase, oldest first'),
  index_checks: list(CheckFields, 'every index check, oldest first'),
  next_check_at: nullable(instant('when it is checked next; null when it is not')),
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
  reason: text('why it is not bought again'),
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
  released: flag('false when it was not in quarantine'),
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
  'quarantine list': { records: [QuarantinedRecord], summary: { quarantined: count('URLs in quarantine') } },
  'quarantine release': { records: [ReleasedRecord], summary: { released: count('URLs released') } },
};
