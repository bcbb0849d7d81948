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
  standing: oneOf(STANDINGS, 'what decides over its next purchase'),
  why: text('why it was bought, or was not'),
  next: text('what happens next, or what you can do'),
  next_at: nullable(instant('when; null when at no known time')),
  in_scope: nullable(flag('whether the watch buys such URLs; null when the watch is not configured any more')),
  scope_rule: nullable(text('the rule that decides it; null when the watch is not configured any more')),
  sitemap: nullable(text('the sitemap that listed it; null when the ledger has not seen it')),
  first_seen_at: nullable(instant('when a run first found it; null when the ledger has not seen it')),
  last_seen_at: nullable(
    instant('when that sitemap was last read to its end with it; null when it is in none, or was not seen'),
  ),
  gone_run: nullable(text('the run since which it is in no sitemap; null when it is in one')),
  purchases: list(PurchaseFields, 'every purchase, oldest first'),
  index_checks: list(CheckFields, 'every index check, oldest first'),
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
