import { type CommandOutput, count, flag, instant, nullable, oneOf, text } from '../../../cli-kit/record-schema.ts';
import { embed, fieldsOf, recordOf } from '../../../cli-kit/record-table.ts';
import { type ForgottenUrl, isForgottenUrl, toDigest } from '../../../ledger/forgotten/forgotten-url.ts';
import type { Imported } from '../../../ledger/jobs/import-purchases.ts';
import type { PurchasedUrl } from '../../../ledger/reports/purchased-urls.ts';
import { formatVersion, getStart } from '../../../url/version.ts';
import { URL_STATES } from './url-history.ts';

const OF_PURCHASE = fieldsOf<PurchasedUrl>()({
  watch: text('name of the watch'),
  account: text('name of the account'),
  state: oneOf(URL_STATES, 'where it stands'),
  generation: count('how often it was planned'),
  failures: count('failures in a row'),
  bought_at: [nullable(instant('last acceptance')), (row) => row.bought_at],
  lastmod: [
    nullable(text('as it was bought, in UTC')),
    ({ bought_version: version }) => version && formatVersion(version),
  ],
  lastmod_at: [nullable(instant('its first instant')), ({ bought_version: version }) => version && getStart(version)],
});
const { watch, account, ...state } = embed(OF_PURCHASE, (row: PurchasedUrl) => row);

const toKnownUrlRecord = recordOf<PurchasedUrl>()('purchased_url', 'A URL that was bought, or is about to be.', {
  watch,
  account,
  url: text('the URL, normalized'),
  ...state,
});

const toForgottenUrlRecord = recordOf<PurchasedUrl & { readonly url: ForgottenUrl }>()(
  'forgotten_url',
  'The same for a page whose address the ledger forgot.',
  {
    watch,
    account,
    ...state,
    digest: [text('SHA-256 of the normalized URL, hexadecimal'), ({ url }) => toDigest(url)],
  },
);

export const toPurchasedUrlRecord = (row: PurchasedUrl) =>
  isForgottenUrl(row.url) ? toForgottenUrlRecord({ ...row, url: row.url }) : toKnownUrlRecord(row);

export const toImportedRecord = recordOf<Imported & { readonly watch: string; readonly account: string }>()(
  'imported',
  'What an import does to one watch.',
  {
    watch: text('name of the watch'),
    account: text('name of the account'),
    added: count('URLs new to the ledger'),
    marked: count('URLs known but not bought: they no longer count as new'),
    known: count('URLs already bought; unchanged'),
  },
);

export const LEDGER_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'ledger export': {
    records: [toKnownUrlRecord.schema, toForgottenUrlRecord.schema],
    summary: { urls: count('URLs exported') },
  },
  'ledger import': {
    records: [toImportedRecord.schema],
    summary: { urls: count('URLs in the file'), written: flag('false: a dry run') },
  },
};
