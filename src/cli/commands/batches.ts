import { userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import { getTimeZone } from '../../config/time-zone.ts';
import { explainUnread } from '../../connector/explain-unread.ts';
import { cancelBatch } from '../../ledger/batches/cancel-batch.ts';
import type { BatchState } from '../../ledger/purchases/states.ts';
import { type BatchUrl, listBatchUrls } from '../../ledger/reports/batch-urls.ts';
import { type BatchFilter, type BatchLine, listBatches } from '../../ledger/reports/lists.ts';
import { formatInstantIn } from '../../submission/instant.ts';
import { formatAmount, formatCounted, formatDecision } from '../output/format.ts';
import { BATCH_STATES, toBatchRecord, toBatchUrlRecord, toCancelledRecord } from '../output/records/batch.ts';
import { getWatch, ledgerAction } from '../with-ledger.ts';
import { findBatch } from './find-batch.ts';
import { configureResolve } from './resolve.ts';

const LISTED = 50;

export function batchesCommand(command: Command): void {
  const list = command.command('list').description(`list the last ${LISTED} batches, newest first`);
  configureList(list.addOption(new Option('--state <state>', 'only batches in this state').choices(BATCH_STATES)));
  addShowAndResolve(command);
  configureCancel(
    command.command('cancel').description('take back a batch that was never sent; its URLs are due again'),
  );
}

/** The batches that became a job of the service, under the name by which the service knows them. */
export function submissionsCommand(command: Command): void {
  const list = command
    .command('list')
    .description(`list the last ${LISTED} batches that the service accepted, newest first`);
  configureList(list, 'accepted');
  addShowAndResolve(command);
}

function addShowAndResolve(command: Command): void {
  configureShow(command.command('show').description('show a batch with its URLs and what became of each of them'));
  configureResolve(
    command
      .command('resolve')
      .description(
        'decide on a batch that needs review, or on a job that stays open, once the service has said what it charged',
      ),
  );
}

function configureList(command: Command, only?: BatchState): void {
  command.option('--watch <watch>', 'only batches of this watch').action(
    ledgerAction(
      async (output, { ledger, config }, { watch, state = only }: { watch?: string; state?: BatchState }) => {
        const filter: BatchFilter = {
          ...(watch === undefined ? {} : { watch: getWatch(config.watches, watch).id }),
          ...(state === undefined ? {} : { state }),
          limit: LISTED,
        };
        const batches = await listBatches(ledger, filter);
        for (const batch of batches) {
          output.record(toBatchRecord(batch));
          output.print(formatBatch(batch, getTimeZone(config.watches.get(batch.watch))));
          if (batch.state !== 'accepted' && batch.reason !== null) output.print(`  ${batch.reason}`);
        }
        if (batches.length === 0) output.print('The ledger has no such batch.');
        return { summary: { batches: batches.length } };
      },
    ),
  );
}

function configureShow(command: Command): void {
  command.argument('<batch>', 'number of the batch, or reference of its job').action(
    ledgerAction(async (output, { ledger, config }, name: string) => {
      const batch = await findBatch(ledger, name);
      const zone = getTimeZone(config.watches.get(batch.watch));
      output.record(toBatchRecord(batch));
      output.print(formatBatch(batch, zone));
      if (batch.reason !== null) output.print(`  ${batch.reason}`);
      const account = config.accounts.get(batch.account);
      const unread = account === undefined ? null : await explainUnread(ledger, account, batch.batch);
      if (unread !== null) output.print(`  ${unread}`);
      output.print(
        `  run ${batch.run ?? 'none'}${formatDecided(batch, zone)}, project "${batch.project}", tag ${batch.tag ?? 'none'}, key ${batch.key ?? 'none'}, ` +
          formatCounted(batch.attempts, 'attempt'),
      );
      for (const url of await listBatchUrls(ledger, batch.batch)) {
        output.record(toBatchUrlRecord(url));
        output.print(`  ${formatUrl(url)}`);
      }
      return { summary: { batch: batch.batch, urls: batch.urls, unread } };
    }),
  );
}

function configureCancel(command: Command): void {
  command.argument('<batch>', 'number of the batch, as "courier batches list" shows it').action(
    ledgerAction(async (output, { ledger }, name: string) => {
      const { batch, watch } = await findBatch(ledger, name);
      const { urls } = await cancelBatch(ledger, batch, userInfo().username);
      output.record(toCancelledRecord({ batch, urls }));
      output.print(
        `Batch ${batch} of ${watch} is cancelled: nothing of it was sent or charged. ${formatCounted(urls, 'URL')} ` +
          'due again; the next run plans them by the configuration of that day.',
      );
      return { summary: { batch, urls } };
    }),
  );
}

const formatDecided = ({ decision: decided }: BatchLine, zone: string): string =>
  decided === null ? '' : formatDecision(decided.decision, decided.by, decided.at, zone);

function formatBatch(batch: BatchLine, zone: string): string {
  const { reference, watch, state, jobState, urls, completed, failed, charge, expectedCost } = batch;
  const cost = charge === null ? `${formatAmount(expectedCost)} expected` : `${formatAmount(charge)} charged`;
  return (
    `${batch.batch}  ${reference ?? 'no reference'}  ${watch}  ${formatInstantIn(zone, batch.plannedAt)}  ` +
    `${state}${jobState === null ? '' : ` (${jobState})`}  ` +
    `${formatCounted(urls, 'URL')}, ${completed} completed, ${failed} failed  ${cost}${formatNextAttempt(batch, zone)}`
  );
}

const formatNextAttempt = ({ notBefore, state }: BatchLine, zone: string): string =>
  notBefore === null || (state !== 'planned' && state !== 'sending')
    ? ''
    : `  next attempt ${formatInstantIn(zone, notBefore)}`;

function formatUrl({ url, result, resultReason, state, stateReason }: BatchUrl): string {
  const reported = result === null ? 'no result' : `${result}${resultReason === null ? '' : ` (${resultReason})`}`;
  const now = state === result ? '' : `; now ${state}${stateReason === null ? '' : `: ${stateReason}`}`;
  return `${url}  ${reported}${now}`;
}
