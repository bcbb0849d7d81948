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
  toInstantOrNull,
} from '../../../cli-kit/record-schema.ts';
import { isForgottenUrl, toDigest } from '../../../ledger/forgotten/forgotten-url.ts';
import type { Imported } from '../../../ledger/jobs/import-purchases.ts';
import type { PurchasedUrl } from '../../../ledger/reports/purchased-urls.ts';
import { formatVersion, getStart } from '../../../url/version.ts';
import { URL_STATES } from './url-history.ts';

const PURCHASED_FIELDS = {
  watch: text('name of the watch'),
  account: text('name of the account'),
  url: text('the URL, normalized'),
  state: oneOf(URL_STATES, 'where it stands'),
  generation: count('how often it was planned'),
  failures: count('failures in a row'),
  bought_at: nullable(instant('last acceptance')),
  lastmod: nullable(text('as it was bought, in UTC')),
  lastmod_at: nullable(instant('its first instant')),
};

export const PurchasedUrlRecord = defineRecord(
  'purchased_url',
  'A URL that was bought, or is about to be.',
  PURCHASED_FIELDS,
);

const { url: _, ...FORGOTTEN_FIELDS } = PURCHASED_FIELDS;

const ForgottenUrlRecord = defineRecord('forgotten_url', 'The same for a page whose address the ledger forgot.', {
  ...FORGOTTEN_FIELDS,
  digest: text('SHA-256 of the normalized URL, hexadecimal'),
});

export const toPurchasedUrlRecord = (
  row: PurchasedUrl,
): Static<typeof PurchasedUrlRecord> | Static<typeof ForgottenUrlRecord> =>
  isForgottenUrl(row.url)
    ? { type: 'forgotten_url', digest: toDigest(row.url), ...toPurchase(row) }
    : { type: 'purchased_url', url: row.url, ...toPurchase(row) };

const toPurchase = (row: PurchasedUrl) => ({
  watch: row.watch,
  account: row.account,
  state: row.state,
  generation: row.generation,
  failures: row.failures,
  bought_at: toInstantOrNull(row.bought_at),
  lastmod: row.bought_version === null ? null : formatVersion(row.bought_version),
  lastmod_at: toInstantOrNull(row.bought_version === null ? null : getStart(row.bought_version)),
});

const ImportedRecord = defineRecord('imported', 'What an import does to one watch.', {
  watch: text('name of the watch'),
  account: text('name of the account'),
  added: count('URLs new to the ledger'),
  marked: count('URLs known but not bought: they no longer count as new'),
  known: count('URLs already bought; unchanged'),
});

export const toImportedRecord = (
  watch: string,
  account: string,
  imported: Imported,
): Static<typeof ImportedRecord> => ({
  type: 'imported',
  watch,
  account,
  ...imported,
});

export const LEDGER_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'ledger export': { records: [PurchasedUrlRecord, ForgottenUrlRecord], summary: { urls: count('URLs exported') } },
  'ledger import': {
    records: [ImportedRecord],
    summary: { urls: count('URLs in the file'), written: flag('false: a dry run') },
  },
};
