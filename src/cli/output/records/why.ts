import { type CommandOutput, count, flag, instant, nullable, oneOf, text } from '../../../cli-kit/record-schema.ts';
import { embed, recordOf } from '../../../cli-kit/record-table.ts';
import { STANDINGS } from '../../../connector/explain-standing.ts';
import type { KnownSpelling, UrlExplanation } from '../../../connector/explain-url.ts';
import type { Url } from '../../../url/normalize-url.ts';
import { BOUGHT, URL_STATES } from './url-history.ts';

interface Explained extends UrlExplanation {
  readonly url: Url;
}

const NOTHING_BOUGHT = { purchases: [], checks: [] };

export const toUrlExplanationRecord = recordOf<Explained>()(
  'url_explanation',
  'Why a URL is where it is in one watch.',
  {
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
  },
);

export const toSimilarUrlRecord = recordOf<KnownSpelling>()(
  'similar_url',
  'Another spelling of the URL, which the ledger knows.',
  {
    url: text('the other spelling'),
    watch: text('name of the watch'),
    state: oneOf(URL_STATES, 'where it stands'),
  },
);

export const WHY_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  why: {
    records: [toUrlExplanationRecord.schema, toSimilarUrlRecord.schema],
    summary: { url: text('the URL, normalized'), seen: count('watches in which the ledger has seen it') },
  },
};
