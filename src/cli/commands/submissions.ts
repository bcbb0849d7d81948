import { Command, Option } from 'commander';
import { formatTry } from '../../../contract/money.ts';
import { asReference } from '../../api-client/read/submission.ts';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import type { BatchState } from '../../ledger/batches/batch-row.ts';
import { recordReconciled } from '../../ledger/batches/record-reconciled.ts';
import { resolveStopped } from '../../ledger/jobs/quarantine.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { type BatchLine, listBatches, listBatchUrls } from '../../ledger/reports/lists.ts';
import type { BatchId, Reference } from '../../submission/ids.ts';
import { action } from '../output/command.ts';
import { formatInstant } from '../output/times.ts';
import { getWatch, withLedger } from '../with-ledger.ts';

const LISTED = 50;
const STATES: readonly BatchState[] = ['planned', 'sending', 'accepted', 'refused', 'needs_review'];

export function submissionsCommand(): Command {
  return new Command('submissions')
    .description('what was submitted, as the ledger has it')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(settleCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description(`the last ${LISTED} batches, newest first`)
    .option('--watch <watch>', 'only of this watch')
    .addOption(new Option('--state <state>', 'only those in this state').choices(STATES))
    .action(
      action((output, flags, { watch, state }: { watch?: string; state?: BatchState }) =>
        withLedger(flags, async ({ ledger, config }) => {
          const batches = await listBatches(ledger, {
            ...(watch === undefined ? {} : { watch: getWatch(config.watches, watch).id }),
            ...(state === undefined ? {} : { state }),
            limit: LISTED,
          });
          for (const batch of batches) {
            output.record({ type: 'submission', ...batch });
            output.print(batchText(batch));
            if (batch.state !== 'accepted' && batch.reason !== null) output.print(`  ${batch.reason}`);
          }
          if (batches.length === 0) output.print('Nothing was planned or submitted yet.');
          return { exitCode: EXIT.done, summary: { submissions: batches.length } };
        }),
      ),
    );
}

function showCommand(): Command {
  return new Command('show')
    .description('one submission with its URLs')
    .argument('<reference>')
    .action(
      action((output, flags, reference: string) =>
        withLedger(flags, async ({ ledger }) => {
          const [batch] = await listBatches(ledger, { reference: reference as Reference, limit: 1 });
          if (batch === undefined) {
            throw new CommandError(
              EXIT.usage,
              `The ledger has no submission "${reference}". Nothing was changed. "courier submissions list" names them.`,
            );
          }
          output.record({ type: 'submission', ...batch });
          output.print(batchText(batch));
          if (batch.reason !== null) output.print(`  ${batch.reason}`);
          output.print(`  run ${batch.run ?? 'none'}, key ${batch.key ?? 'none'}, ${batch.attempts} attempts`);
          for (const url of await listBatchUrls(ledger, batch.batch)) {
            output.record({ type: 'url', url });
            output.print(`  ${url}`);
          }
          return { exitCode: EXIT.done, summary: { reference, urls: batch.urls } };
        }),
      ),
    );
}

interface SettleFlags {
  readonly charged?: string;
  readonly release?: boolean;
  readonly leave?: boolean;
}

function settleCommand(): Command {
  return new Command('settle')
    .description('decide on a batch that was stopped, after you have asked the service what became of it')
    .argument('<batch>', 'its number, as "courier submissions list" shows it')
    .option('--charged <reference>', 'the service has charged it, as this job: it is followed from here on')
    .option('--release', 'the service has charged nothing: its URLs may be bought again')
    .option('--leave', 'its URLs are not bought again')
    .action(
      action((output, flags, number: string, options: SettleFlags) =>
        withLedger(flags, async ({ ledger }) => {
          const batch = Number(number) as BatchId;
          const [line] = Number.isSafeInteger(batch) ? await listBatches(ledger, { batch, limit: 1 }) : [];
          if (line?.state !== 'needs_review') {
            throw new CommandError(
              EXIT.usage,
              `${line === undefined ? `There is no batch ${number}` : `Batch ${number} is ${line.state}, not stopped`}. ` +
                'Nothing was changed or charged. "courier submissions list" names those that are stopped.',
            );
          }
          const said = await settle(ledger, batch, options);
          output.record({ type: 'settled', batch, how: said.how });
          output.print(`Batch ${batch} of ${line.watch}, ${line.urls} URLs: ${said.meaning}`);
          return { exitCode: EXIT.done, summary: { batch } };
        }),
      ),
    );
}

async function settle(ledger: Ledger, batch: BatchId, { charged, release, leave }: SettleFlags) {
  if ([charged, release, leave].filter((each) => each !== undefined).length !== 1) {
    throw new CommandError(
      EXIT.usage,
      'Say what the service says of the batch: --charged REFERENCE, --release (nothing was charged) or --leave. ' +
        'Nothing was changed or charged.',
    );
  }
  if (charged === undefined) {
    await resolveStopped(ledger, batch, release ? 'release' : 'leave');
    return release
      ? { how: 'release', meaning: 'they are due again, and are bought with the next run.' }
      : { how: 'leave', meaning: 'they stay as they are and are not bought again.' };
  }
  const reference = asReference(charged);
  if (reference === null) {
    throw new CommandError(EXIT.usage, `"${charged}" cannot be a job's reference. Nothing was changed or charged.`);
  }
  const seen = { kind: 'found', reference, state: null, charged: null, pricePerUrl: null, balance: null } as const;
  const recorded = await recordReconciled(ledger, batch, seen);
  if (recorded.kind === 'needs_review')
    throw new CommandError(EXIT.usage, `${recorded.reason}. The batch stays stopped.`);
  return { how: 'charged', meaning: `bought as ${reference}; it is followed when the next run or worker wakes.` };
}

function batchText(batch: BatchLine): string {
  const { reference, watch, state, jobState, urls, completed, failed, charge, expectedCost } = batch;
  const cost =
    charge !== null
      ? formatTry(charge)
      : expectedCost === null
        ? 'not known yet'
        : `${formatTry(expectedCost)} expected`;
  return (
    `${batch.batch}  ${reference ?? 'no reference'}  ${watch}  ${formatInstant(batch.plannedAt)}  ${state}${jobState === null ? '' : ` (${jobState})`}  ` +
    `${urls} URLs, ${completed} completed, ${failed} failed  ${cost}`
  );
}
