import type { Static } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  flag,
  instant,
  list,
  nullable,
  oneOf,
  text,
  toInstantOrNull,
} from '../../../cli-kit/record-schema.ts';
import { STANDINGS } from '../../../connector/explain-standing.ts';
import type { KnownSpelling, UrlExplanation } from '../../../connector/explain-url.ts';
import type { Url } from '../../../url/normalize-url.ts';
import { CheckFields, PurchaseFields, toCheck, toPurchase, URL_STATES } from './url-history.ts';

const UrlExplanationRecord = defineRecord('url_explanation', 'Why a URL is where it is in one watch.', {
  url: text('the URL, normalized'),
  watch: text('name of the watch'),
  standing: oneOf(STANDINGS, 'what decides its next purchase'),
  why: text('why it was bought, or was not'),
  next: text('what happens next, or what you can do'),
  next_at: nullable(instant('when')),
  in_scope: nullable(flag('the watch buys such URLs; null: not configured')),
  scope_rule: nullable(text('the rule that decides it; null: not configured')),
  sitemap: nullable(text('the sitemap that listed it')),
  first_seen_at: nullable(instant('when a run first found it')),
  last_seen_at: nullable(instant('when that sitemap last had it')),
  gone_run: nullable(text('run since which it is in no sitemap')),
  purchases: list(PurchaseFields, 'oldest first'),
  index_checks: list(CheckFields, 'oldest first'),
});

export function toUrlExplanationRecord(url: Url, explained: UrlExplanation): Static<typeof UrlExplanationRecord> {
  const { watch, standing, why, next, nextAt, scope, history } = explained;
  return {
    type: 'url_explanation',
    url,
    watch,
    standing,
    why,
    next,
    next_at: toInstantOrNull(nextAt),
    in_scope: scope?.inScope ?? null,
    scope_rule: scope?.rule ?? null,
    sitemap: history?.sitemap ?? null,
    first_seen_at: toInstantOrNull(history?.firstRun?.at ?? null),
    last_seen_at: toInstantOrNull(
      history === null || history.goneRun !== null || history.forgottenAt !== null ? null : history.sitemapReadAt,
    ),
    gone_run: history?.goneRun ?? null,
    purchases: (history?.purchases ?? []).map(toPurchase),
    index_checks: (history?.checks ?? []).map(toCheck),
  };
}

const SimilarUrlRecord = defineRecord('similar_url', 'Another spelling of the URL, which the ledger knows.', {
  url: text('the other spelling'),
  watch: text('name of the watch'),
  state: oneOf(URL_STATES, 'where it stands'),
});

export const toSimilarUrlRecord = ({ url, watch, state }: KnownSpelling): Static<typeof SimilarUrlRecord> => ({
  type: 'similar_url',
  url,
  watch,
  state,
});

export const WHY_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  why: {
    records: [UrlExplanationRecord, SimilarUrlRecord],
    summary: { url: text('the URL, normalized'), seen: count('watches in which the ledger has seen it') },
  },
};
