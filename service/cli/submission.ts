import type { Command } from 'commander';
import { formatTry } from '../../contract/money.ts';
import type { Output } from '../../src/cli-kit/output.ts';
import { toInstantOrNull } from '../../src/cli-kit/record-schema.ts';
import type { Refund } from '../operations/refund.ts';
import type { SubmissionRecord as Submission } from '../operations/submissions.ts';
import { amount } from './account-record.ts';
import { administer, databaseCommand, databaseOptions } from './database.ts';
import { type SubmissionChange, toSubmissionRecord } from './records.ts';

function show(output: Output, each: Submission, change: SubmissionChange = {}): void {
  output.record(toSubmissionRecord({ ...each, ...change }));
  const pending = each.url_count - each.urls_completed - each.urls_failed;
  output.print(
    `${each.reference} of ${each.account}: ${each.status}, ${each.service}, ${each.url_count} URLs (${each.urls_completed} completed, ` +
      `${each.urls_failed} failed, ${pending} pending), charged ${formatTry(each.charged)}, refunded ${formatTry(each.refunded)}`,
  );
  const dispatched = toInstantOrNull(each.dispatched_at) ?? 'not yet';
  output.print(
    `accepted ${toInstantOrNull(each.created_at)}, handed to processing ${dispatched}, ended ${toInstantOrNull(each.finished_at) ?? 'not yet'}`,
  );
}

/** Operator commands for one submission. */
export function submissionCommand(submission: Command): void {
  databaseCommand(submission, 'show', 'show a submission of any account with its entries')
    .argument('<reference>', 'reference of the submission')
    .action(
      administer<object, [reference: string]>(async ({ output, operations }, reference) =>
        show(output, await operations.submission(reference)),
      ),
    );

  databaseCommand(submission, 'requeue', 'hand a submission that has not ended to processing again')
    .argument('<reference>', 'reference of the submission')
    .action(
      administer<object, [reference: string]>(async ({ output, operations }, reference) =>
        show(output, await operations.requeue(reference)),
      ),
    );

  databaseCommand(submission, 'fail', 'end a submission: URLs without an outcome fail and are refunded')
    .argument('<reference>', 'reference of the submission')
    .requiredOption('--reason <text>', 'why; the customer sees it beside each URL')
    .option('--no-refund', 'keep the charge')
    .action(
      administer<{ reason: string; refund: boolean }, [reference: string]>(
        async ({ output, operations }, reference, { reason, refund }) => {
          const failed = await operations.fail(reference, { reason, refund });
          show(output, failed.submission, { failedNow: failed.urls, refundedNow: failed.refunded });
          output.print(`${failed.urls} URLs failed now, ${formatTry(failed.refunded)} refunded`);
        },
      ),
    );
}

/** Refunds the charge of a submission; the submission itself continues. */
export function refundCommand(command: Command): void {
  databaseOptions(command)
    .argument('<reference>', 'reference of the submission')
    .option('--amount <amount>', 'amount in TRY (all that is left of the charge)', amount)
    .requiredOption('--reason <text>', 'why; the customer sees it')
    .option('--reference <text>', 'your case or document; the same one again changes nothing')
    .action(
      administer<Omit<Refund, 'submission'>, [submission: string]>(
        async ({ output, operations }, submission, flags) => {
          const refunded = await operations.refund({ submission, ...flags });
          const { repeated } = refunded;
          show(output, refunded.submission, { refundedNow: repeated ? 0 : refunded.amount, repeated });
          output.print(
            repeated
              ? 'This reference was used before for this refund: nothing was changed.'
              : `${formatTry(refunded.amount)} refunded`,
          );
        },
      ),
    );
}
