import {
  type CommandOutput,
  count,
  flag,
  instant,
  list,
  micros,
  nullable,
  oneOf,
  text,
  texts,
} from '../../../cli-kit/record-schema.ts';
import { embed, fieldsOf, named, plainRecord, recordOf } from '../../../cli-kit/record-table.ts';
import { STANDINGS } from '../../../connector/explain-standing.ts';
import type { KnownSpelling, UrlExplanation } from '../../../connector/explain-url.ts';
import { Type } from '../../../json-schema/type.ts';
import type { Quarantined } from '../../../ledger/jobs/quarantine.ts';
import type { Purchase, UrlCheck, UrlHistory } from '../../../ledger/reports/url-history.ts';
import type { Url } from '../../../url/normalize-url.ts';
import { formatVersion } from '../../../url/version.ts';
import { BATCH_STATES } from './batch.ts';

export const URL_STATES = ['known', 'planned', 'submitted', 'completed', 'failed', 'held', 'quarantined'] as const;
const DUE = ['new', 'changed', 'retry', 'not_found', 'released'] as const;
export const CHECK_RESULTS = ['found', 'not_found', 'unknown'] as const;

const purchase = fieldsOf<Purchase>()({
  generation: count('1 for the first purchase'),
  batch: count('number of the batch'),
  batch_state: oneOf(BATCH_STATES, 'state of the batch'),
  batch_reason: nullable(text('why')),
  idempotency_key: [nullable(text('key of its request')), ({ key }) => key],
  reference: nullable(text('reference of the job')),
  planned_at: instant('when it was planned'),
  accepted_at: nullable(instant('when accepted')),
  charge_micros: nullable(micros('share of the charge of the batch')),
  job_state: nullable(text('state of the job')),
  result: nullable(text('as the service reported it')),
  result_reason: nullable(text('reason that the service reported')),
  request_ids: texts("for the service's support"),
});

const check = fieldsOf<UrlCheck>()({
  at: nullable(instant('when it was checked')),
  result: [
    nullable(oneOf(CHECK_RESULTS, 'index check')),
    ({ result }) => (result === 'not-found' ? 'not_found' : result),
  ],
  detail: nullable(text("the service's word")),
  request_id: nullable(text("for the service's support")),
  state: text('state of the check'),
});

/** What was bought of a URL, and what its index checks found: fields of several records. */
export const BOUGHT = fieldsOf<Pick<UrlHistory, 'purchases' | 'checks'>>()({
  purchases: [list(Type.Object(purchase.schemas), 'oldest first'), ({ purchases }) => purchases.map(purchase.read)],
  index_checks: [list(Type.Object(check.schemas), 'oldest first'), ({ checks }) => checks.map(check.read)],
});

export const toUrlHistoryRecord = recordOf<UrlHistory>()({
  type: named('url_history', 'The history of a URL in one watch.'),
  url: text('the URL, normalized'),
  watch: text('name of the watch'),
  state: oneOf(URL_STATES, 'where it stands'),
  reason: nullable(text('why')),
  due: [nullable(oneOf(DUE, 'reason to buy it next')), ({ due }) => (due === 'not-found' ? 'not_found' : due)],
  due_at: nullable(instant('not before; null when at once, or not at all')),
  generation: count('how often it was planned'),
  failures: count('failures in a row'),
  lastmod: [nullable(text('the latest in a sitemap, in UTC')), ({ version }) => version && formatVersion(version)],
  sitemap: nullable(text('the sitemap where first found; null when `recover` found it')),
  sitemap_read_at: nullable(instant('when that sitemap was last read to its end')),
  first_run: [
    nullable(text('the run that found it; null when `recover` found it')),
    ({ firstRun }) => firstRun?.run ?? null,
  ],
  first_run_at: [nullable(instant('start of `first_run`')), ({ firstRun }) => firstRun?.at ?? null],
  changed_run: nullable(text('the run that last saw its lastmod change')),
  gone_run: nullable(text('run since which it is in no sitemap')),
  forgotten_at: nullable(instant('when `ledger forget` removed its address')),
  ...embed(BOUGHT, (history: UrlHistory) => history),
  next_check_at: nullable(instant('next check')),
});

export const toQuarantinedRecord = recordOf<Quarantined>()({
  type: named('quarantined', 'A URL in quarantine.'),
  watch: text('name of the watch'),
  url: text('the URL'),
  reason: text('why'),
});

export const toReleasedRecord = plainRecord({
  type: named('released', 'A URL that `quarantine release` was asked to release.'),
  watch: text('name of the watch'),
  url: text('the URL'),
  released: flag('false: it was not in quarantine'),
});

interface Explained extends UrlExplanation {
  readonly url: Url;
}

const NOTHING_BOUGHT = { purchases: [], checks: [] };

export const toUrlExplanationRecord = recordOf<Explained>()({
  type: named('url_explanation', 'Why a URL is where it is in one watch.'),
  url: text('the URL, normalized'),
  watch: text('name of the watch'),
  standing: oneOf(STANDINGS, 'what decides its next purchase'),
  why: text('why it was bought, or was not'),
  next: text('what happens next, or what you can do'),
  next_at: nullable(instant('when')),
  in_scope: [nullable(flag('the watch buys such URLs; null: not configured')), ({ scope }) => scope?.inScope ?? null],
  scope_rule: [nullable(text('the rule that decides it; null: not configured')), ({ scope }) => scope?.rule ?? null],
  sitemap: [nullable(text('the sitemap that listed it')), ({ history }) => history?.sitemap ?? null],
  first_seen_at: [nullable(instant('when a run first found it')), ({ history }) => history?.firstRun?.at ?? null],
  last_seen_at: [
    nullable(instant('when that sitemap last had it')),
    ({ history }) =>
      history === null || history.goneRun !== null || history.forgottenAt !== null ? null : history.sitemapReadAt,
  ],
  gone_run: [nullable(text('run since which it is in no sitemap')), ({ history }) => history?.goneRun ?? null],
  ...embed(BOUGHT, ({ history }: Explained) => history ?? NOTHING_BOUGHT),
});

export const toSimilarUrlRecord = recordOf<KnownSpelling>()({
  type: named('similar_url', 'Another spelling of the URL, which the ledger knows.'),
  url: text('the other spelling'),
  watch: text('name of the watch'),
  state: oneOf(URL_STATES, 'where it stands'),
});

export const URL_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'ledger show': {
    records: [toUrlHistoryRecord.schema],
    summary: { url: text('the URL, normalized'), watches: count('watches that know it') },
  },
  'quarantine list': { records: [toQuarantinedRecord.schema], summary: { quarantined: count('in quarantine') } },
  'quarantine release': { records: [toReleasedRecord.schema], summary: { released: count('URLs released') } },
  why: {
    records: [toUrlExplanationRecord.schema, toSimilarUrlRecord.schema],
    summary: { url: text('the URL, normalized'), seen: count('watches in which the ledger has seen it') },
  },
};
