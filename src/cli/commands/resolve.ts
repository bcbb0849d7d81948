import { type Command, Option } from 'commander';
import { formatTry, type Micros } from '../../../contract/money.ts';
import { asReference } from '../../api-client/read/submission.ts';
import { CommandError, EXIT, UsageError } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import { type ChargeRead, readCharge } from '../../connector/read-charge.ts';
import { recordReconciled } from '../../ledger/batches/record-reconciled.ts';
import { listReviewedWith, resolveNeedsReview } from '../../ledger/batches/resolve-review.ts';
import { type BatchLine, listBatches } from '../../ledger/reports/lists.ts';
import type { Reference } from '../../submission/ids.ts';
import { formatCounted } from '../output/format.ts';
import { toResolvedRecord } from '../output/records/batch.ts';
import { type CommandContext, ledgerAction } from '../with-ledger.ts';
import { findBatch } from './find-batch.ts';
import { resolveOpenJob } from './resolve-job.ts';

interface ResolveFlags {
  readonly charged?: string;
  readonly release?: boolean;
  readonly leave?: boolean;
  readonly parts?: boolean;
  readonly sameReason?: boolean;
}

export function configureResolve(command: Command): void {
  command
    .argument('<batch>', 'number of the batch, or reference of its job')
    .option('--charged <reference>', 'the service charged it, as this job: it is followed from now on')
    .option('--release', 'the service charged nothing, or will not end the job: its URLs are due again')
    .option('--leave', 'its URLs are not submitted again before they change')
    .addOption(
      new Option('--parts', 'the same for the other parts of the batch that it is a part of').conflicts([
        'charged',
        'sameReason',
      ]),
    )
    .addOption(
      new Option(
        '--same-reason',
        'the same for every batch of its account that needs review for this reason',
      ).conflicts('charged'),
    )
    .action(
      ledgerAction(async (output, context, name: string, options: ResolveFlags) => {
        const line = await findBatch(context.ledger, name);
        if (isOpenJob(line)) await resolveOpenJob(context, output, line, chooseForJob(options));
        else await resolveReviewed(context, output, line, options);
        return { summary: { batch: line.batch } };
      }),
    );
}

/** An accepted batch whose URLs have not all got their result. */
const isOpenJob = (line: BatchLine): line is BatchLine & { readonly reference: Reference } =>
  line.state === 'accepted' && line.settledAt === null && line.reference !== null;

/** What was decided on a job; null when the options say nothing that fits one. */
function chooseForJob({ charged, release, leave, parts, sameReason }: ResolveFlags): 'release' | 'leave' | null {
  if (charged !== undefined || parts === true || sameReason === true || release === leave) return null;
  return release === true ? 'release' : 'leave';
}

async function resolveReviewed(
  context: CommandContext,
  output: Output,
  line: BatchLine,
  options: ResolveFlags,
): Promise<void> {
  const { ledger } = context;
  const { batch } = line;
  if (line.state !== 'needs_review') {
    const state = line.state === 'accepted' ? 'its job has ended' : `it is ${line.state}`;
    throw new UsageError(
      `Batch ${batch} does not need review (${state}). Nothing was changed or charged. ` +
        '"courier batches list --state needs_review" shows those that do.',
    );
  }
  const scope = options.parts ? 'parts' : options.sameReason ? 'same-reason' : null;
  // Read before the batch is resolved, because its reason names the others.
  const others = scope === null ? { certain: [], inDoubt: [] } : await listReviewedWith(ledger, batch, scope);
  const { how, meaning } = await resolve(context, line, options);
  output.record(toResolvedRecord({ batch, how, urls: line.urls }));
  output.print(`Batch ${batch} of ${line.watch}, ${formatCounted(line.urls, 'URL')}: ${meaning}`);
  for (const other of others.certain) {
    if (how === 'charged') continue;
    const [{ urls } = { urls: 0 }] = await listBatches(ledger, { batch: other, limit: 1 });
    if (!(await resolveNeedsReview(ledger, other, how))) continue;
    output.record(toResolvedRecord({ batch: other, how, urls }));
    output.print(`Batch ${other}, ${formatCounted(urls, 'URL')}: ${meaning}`);
  }
  if (others.inDoubt.length === 0) return;
  throw new CommandError(
    EXIT.partial,
    `${formatCounted(others.inDoubt.length, 'batch', 'batches')} may have been charged and still need review: ` +
      `${others.inDoubt.join(', ')}. Ask the service about each, then resolve it by its number.`,
  );
}

async function resolve({ config, ledger }: CommandContext, line: BatchLine, { charged, release, leave }: ResolveFlags) {
  const { batch } = line;
  if ([charged, release, leave].filter((each) => each !== undefined).length !== 1) {
    throw new UsageError(
      'Pass exactly one of --charged REFERENCE (the service charged it), --release (it charged nothing) and --leave. Nothing was ' +
        'changed or charged.',
    );
  }
  if (charged === undefined) {
    await resolveNeedsReview(ledger, batch, release ? 'release' : 'leave');
    return release
      ? { how: 'release' as const, meaning: 'its URLs are due again; the next run submits them.' }
      : { how: 'leave' as const, meaning: 'its URLs are not submitted again.' };
  }
  const reference = asReference(charged);
  if (reference === null) {
    throw new UsageError(`"${charged}" is not a valid reference of a job. Nothing was changed or charged.`);
  }
  const signal = stopSignal('Nothing was changed or charged.');
  const { why, ...shown } = await readCharge(config, ledger, line.account, reference, signal);
  const recorded = await recordReconciled(ledger, batch, {
    kind: 'found',
    reference,
    state: null,
    balance: null,
    ...shown,
  });
  if (recorded.kind === 'needs_review')
    throw new UsageError(`${recorded.reason}. The batch still needs review; this command charged nothing.`);
  const charge = recorded.kind === 'accepted' ? recorded.charged : null;
  return {
    how: 'charged' as const,
    meaning: `charged as ${reference}${describeCost(charge, shown, why)}; the next run follows it.`,
  };
}

/** What the job counts as, and where that comes from. */
function describeCost(
  charge: Micros | null,
  { charged, pricePerUrl }: Omit<ChargeRead, 'why'>,
  why: string | null,
): string {
  if (charge === null) return '';
  if (charged !== null || pricePerUrl !== null) return `, ${formatTry(charge)}`;
  return `, which counts as ${formatTry(charge)}: the service ${why === null ? 'does not show what it cost' : `could not be asked (${why})`}`;
}
