import { Command } from 'commander';
import { formatTry } from '../../contract/money.ts';
import { type BatchLine, batchUrls, listBatches } from '../ledger/lists.ts';
import type { Reference } from '../submission/ids.ts';
import { watchNamed, withBooks } from './books.ts';
import { action } from './command.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { day } from './times.ts';

const LISTED = 50;

export function submissionsCommand(): Command {
  return new Command('submissions')
    .description('what was submitted, as the ledger has it')
    .addCommand(listCommand())
    .addCommand(showCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description(`the last ${LISTED} batches, newest first`)
    .option('--watch <watch>', 'only of this watch')
    .action(
      action((output, flags, { watch }: { watch?: string }) =>
        withBooks(flags, async ({ ledger, config }) => {
          const filter = watch === undefined ? {} : { watch: watchNamed(config.watches, watch).id };
          const batches = await listBatches(ledger, { ...filter, limit: LISTED });
          for (const batch of batches) {
            output.record({ type: 'submission', ...batch });
            output.print(batchText(batch));
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
        withBooks(flags, async ({ ledger }) => {
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
          for (const url of await batchUrls(ledger, batch.batch)) {
            output.record({ type: 'url', url });
            output.print(`  ${url}`);
          }
          return { exitCode: EXIT.done, summary: { reference, urls: batch.urls } };
        }),
      ),
    );
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
    `${reference ?? `batch ${batch.batch}`}  ${watch}  ${day(batch.plannedAt)}  ${state}${jobState === null ? '' : ` (${jobState})`}  ` +
    `${urls} URLs, ${completed} completed, ${failed} failed  ${cost}`
  );
}
