import type { Command } from 'commander';
import { decimalTry, formatTry, type Micros } from '../../contract/money.ts';
import type { SubmissionRecord } from '../operations/submissions.ts';
import { run } from './command.ts';
import { type DatabaseFlags, databaseCommand, withAdministration } from './database.ts';
import { amount } from './numbers.ts';
import type { Output } from './output.ts';

const isoOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString());

function show(output: Output, each: SubmissionRecord, more: Record<string, unknown> = {}): void {
  output.record({
    type: 'submission',
    reference: each.reference,
    account: each.account,
    project: each.project,
    service: each.service,
    status: each.status,
    urls: each.url_count,
    urls_completed: each.urls_completed,
    urls_failed: each.urls_failed,
    price_per_url: decimalTry(each.price),
    charged: decimalTry(each.charged),
    refunded: decimalTry(each.refunded),
    currency: 'TRY',
    accepted_at: isoOrNull(each.created_at),
    dispatched_at: isoOrNull(each.dispatched_at),
    started_at: isoOrNull(each.started_at),
    finished_at: isoOrNull(each.finished_at),
    entries: each.entries.map(({ kind, amount: moved, reference, reason, created_at }) => ({
      kind,
      amount: decimalTry(moved),
      reference,
      reason,
      time: isoOrNull(created_at),
    })),
    ...more,
  });
  const pending = each.url_count - each.urls_completed - each.urls_failed;
  output.print(
    `${each.reference} of ${each.account}: ${each.status}, ${each.service}, ${each.url_count} URLs (${each.urls_completed} completed, ` +
      `${each.urls_failed} failed, ${pending} pending), charged ${formatTry(each.charged)}, refunded ${formatTry(each.refunded)}`,
  );
  const dispatched = isoOrNull(each.dispatched_at) ?? 'not yet';
  output.print(
    `accepted ${isoOrNull(each.created_at)}, handed to processing ${dispatched}, ended ${isoOrNull(each.finished_at) ?? 'not yet'}`,
  );
}

/** What an operator does about one submission. */
export function addSubmission(program: Command): void {
  const submission = program.command('submission').description('submissions: show, requeue, fail');

  databaseCommand(submission, 'show', 'show a submission of any account with its entries')
    .argument('<reference>', 'reference of the submission')
    .action((reference: string, flags: DatabaseFlags) =>
      run(flags, async (output) => show(output, await withAdministration(flags, (_, it) => it.submission(reference)))),
    );

  databaseCommand(submission, 'requeue', 'hand a submission that has not ended to processing again')
    .argument('<reference>', 'reference of the submission')
    .action((reference: string, flags: DatabaseFlags) =>
      run(flags, async (output) => show(output, await withAdministration(flags, (_, it) => it.requeue(reference)))),
    );

  databaseCommand(submission, 'fail', 'end a submission: URLs without an outcome fail and are refunded')
    .argument('<reference>', 'reference of the submission')
    .requiredOption('--reason <text>', 'why; the customer sees it beside each URL')
    .option('--no-refund', 'keep the charge')
    .action((reference: string, flags: DatabaseFlags & { reason: string; refund: boolean }) =>
      run(flags, async (output) => {
        const { reason, refund } = flags;
        const failed = await withAdministration(flags, (_, it) => it.fail(reference, { reason, refund }));
        show(output, failed.submission, { urls_failed_now: failed.urls, refunded_now: decimalTry(failed.refunded) });
        output.print(`${failed.urls} URLs failed now, ${formatTry(failed.refunded)} refunded`);
      }),
    );

  databaseCommand(program, 'refund', 'give back what a submission cost; it goes on')
    .argument('<reference>', 'reference of the submission')
    .option('--amount <amount>', 'amount in TRY (all that is left of the charge)', amount)
    .requiredOption('--reason <text>', 'why; the customer sees it')
    .option('--reference <text>', 'your case or document; the same one again changes nothing')
    .action((submitted: string, flags: DatabaseFlags & { amount?: Micros; reason: string; reference?: string }) =>
      run(flags, async (output) => {
        const refunded = await withAdministration(flags, (_, it) =>
          it.refund({
            submission: submitted,
            reason: flags.reason,
            ...(flags.amount === undefined ? {} : { amount: flags.amount }),
            ...(flags.reference === undefined ? {} : { reference: flags.reference }),
          }),
        );
        const { repeated } = refunded;
        show(output, refunded.submission, { refunded_now: repeated ? '0.00' : decimalTry(refunded.amount), repeated });
        output.print(
          repeated
            ? 'This reference was used before for this refund: nothing was changed.'
            : `${formatTry(refunded.amount)} refunded`,
        );
      }),
    );
}
