import type { Micros } from '../../../../contract/money.ts';
import {
  type CommandOutput,
  count,
  flag,
  instant,
  micros,
  nullable,
  oneOf,
  text,
} from '../../../cli-kit/record-schema.ts';
import { embed, fieldsOf, named, plainRecord, recordOf } from '../../../cli-kit/record-table.ts';
import type { LedgerCopy } from '../../../ledger/back-up.ts';
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

const toKnownUrlRecord = recordOf<PurchasedUrl>()({
  type: named('purchased_url', 'A URL that was bought, or is about to be.'),
  watch,
  account,
  url: text('the URL, normalized'),
  ...state,
});

const toForgottenUrlRecord = recordOf<PurchasedUrl & { readonly url: ForgottenUrl }>()({
  type: named('forgotten_url', 'The same for a page whose address the ledger forgot.'),
  watch,
  account,
  ...state,
  digest: [text('SHA-256 of the normalized URL, hexadecimal'), ({ url }) => toDigest(url)],
});

export const toPurchasedUrlRecord = (row: PurchasedUrl) =>
  isForgottenUrl(row.url) ? toForgottenUrlRecord({ ...row, url: row.url }) : toKnownUrlRecord(row);

export const toImportedRecord = recordOf<Imported & { readonly watch: string; readonly account: string }>()({
  type: named('imported', 'What an import does to one watch.'),
  watch: text('name of the watch'),
  account: text('name of the account'),
  added: count('URLs new to the ledger'),
  marked: count('URLs known but not bought: they no longer count as new'),
  known: count('URLs already bought; unchanged'),
});

export const toPrunedRecord = plainRecord({
  type: named('pruned', 'Details of one kind that were removed from the ledger.'),
  table: text('name of the table'),
  rows: count('rows removed, or to remove'),
});

export const toListedPagesRecord = plainRecord({
  type: named('listed_pages', 'Pages that `ledger forget` keeps, because a watch lists them.'),
  watch: text('name of the watch'),
  pages: count('pages listed'),
});

export const toLedgerCopyRecord = recordOf<LedgerCopy & { readonly file: string }>()({
  type: named('ledger_copy', 'A file that holds a copy of the ledger.'),
  file: text('path'),
  ledger: text('id of the ledger'),
  urls: count('URLs in it'),
  batches: count('batches in it'),
  last_accepted_at: nullable(instant('last acceptance')),
});

export interface RecoveredCounts {
  readonly jobs: number;
  readonly recovered: number;
  readonly answered: number;
  readonly known: number;
  readonly unassigned: number;
  readonly notFound: number;
  readonly urls: number;
  readonly charged: Micros;
  readonly unknownCharges: number;
}

export const toRecoveredRecord = recordOf<RecoveredCounts & { readonly account: string }>()({
  type: named('recovered', 'What the history of an account brought into the ledger.'),
  account: text('name of the account'),
  jobs: count("jobs in the service's history"),
  recovered: count('jobs new to the ledger'),
  answered: count('jobs of batches that were waiting for their answer'),
  known: count('jobs already in the ledger'),
  unassigned: count('jobs of no watch, left out'),
  not_found: count('accepted jobs that the service neither lists nor shows'),
  urls: count('URLs of the recovered jobs'),
  charged_micros: micros('reported charge'),
  unknown_charge_jobs: [count('recovered jobs of unreported charge'), ({ unknownCharges }) => unknownCharges],
});

export const toUnassignedRecord = plainRecord({
  type: named('unassigned', 'A job that fits no watch.'),
  reference: text('reference of the job'),
  project: nullable(text('project of the job')),
  sample: nullable(text('one of its URLs')),
});

export const LEDGER_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'ledger export': {
    records: [toKnownUrlRecord.schema, toForgottenUrlRecord.schema],
    summary: { urls: count('URLs exported') },
  },
  'ledger import': {
    records: [toImportedRecord.schema],
    summary: { urls: count('URLs in the file'), written: flag('false: a dry run') },
  },
  'ledger prune': {
    records: [toPrunedRecord.schema],
    summary: {
      rows: count('rows of all kinds'),
      dry_run: flag('a dry run'),
      archive: nullable(text('where they are kept')),
      freed_bytes: nullable(count('freed in the SQLite file; null without `--vacuum`')),
    },
  },
  'ledger forget': {
    records: [toListedPagesRecord.schema],
    summary: {
      pages: count('forgotten, or to forget'),
      kept: count('selected pages that keep their addresses'),
      sitemaps: nullable(count('sitemaps removed; null with `--dry-run`')),
      texts: nullable(count('messages and samples changed; null with `--dry-run`')),
      freed_bytes: nullable(count('freed in the SQLite file; null without `--vacuum`')),
      dry_run: flag('a dry run'),
    },
  },
  backup: { records: [toLedgerCopyRecord.schema], summary: { bytes: count('size') } },
  restore: {
    records: [toLedgerCopyRecord.schema],
    summary: { kept: nullable(text('where the old ledger is kept')) },
  },
  recover: {
    records: [toRecoveredRecord.schema, toUnassignedRecord.schema],
    summary: { jobs: count('jobs of all accounts') },
  },
};
