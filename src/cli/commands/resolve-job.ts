import { formatTry } from '../../../contract/money.ts';
import { UsageError } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import type { Account, Config } from '../../config/config.ts';
import { getTimeZone } from '../../config/time-zone.ts';
import type { Settled } from '../../ledger/jobs/assign-results.ts';
import { resolveJob } from '../../ledger/jobs/settle-job.ts';
import type { BatchLine } from '../../ledger/reports/lists.ts';
import type { Reference } from '../../submission/ids.ts';
import { formatInstantIn } from '../../submission/instant.ts';
import { formatCounted } from '../output/format.ts';
import { toResolvedRecord } from '../output/records/batch.ts';
import { type CommandContext, getAccount } from '../with-ledger.ts';

type How = 'release' | 'leave';

/** Ends the job of an accepted batch, for which the service reports no end within the tracking timeout. */
export async function resolveOpenJob(
  { config, ledger }: Pick<CommandContext, 'config' | 'ledger'>,
  output: Output,
  line: BatchLine & { readonly reference: Reference },
  how: How | null,
): Promise<void> {
  const { batch, reference, watch } = line;
  if (how === null) {
    throw new UsageError(
      `Batch ${batch} is accepted as ${reference} and its job is open. Pass exactly one of --release (its URLs without a ` +
        'result are due again, and are charged again) and --leave (they count as submitted). Nothing was changed or charged.',
    );
  }
  const overdueAt = getOverdueTime(getAccount(config, line.account), line);
  if (overdueAt > ledger.now()) {
    throw new UsageError(
      `Job ${reference} is followed until ${formatInstantIn(getTimeZone(config.watches.get(watch)), overdueAt)}: the service may still process it, and what it ` +
        'processes is charged. Nothing was changed or charged. "tracking" of the account sets the time.',
    );
  }
  const retryFailed = findRetryRule(config, watch);
  const settled = await resolveJob(ledger, line.account, reference, how, { retryFailed });
  output.record(toResolvedRecord({ batch, how, urls: settled.open }));
  output.print(describeResolved(line, how, settled));
}

/** From then on a tracker no longer polls the job. */
export const getOverdueTime = ({ tracking }: Account, { service, acceptedAt, plannedAt }: BatchLine): number =>
  (acceptedAt ?? plannedAt) + tracking[service].timeoutMs;

const findRetryRule = ({ watches }: Config, watch: BatchLine['watch']) => watches.get(watch)?.retryFailed ?? null;

function describeResolved({ batch, reference, watch, charge }: BatchLine, how: How, settled: Settled): string {
  const { completed, failed, open } = settled;
  const money =
    charge === null ? 'What it was charged is not known, and stays so.' : `Its charge of ${formatTry(charge)} stays.`;
  const rest = formatCounted(open, 'URL');
  return (
    `Job ${reference} (batch ${batch} of ${watch}) is ended in the ledger. ${completed} completed and ${failed} failed URLs ` +
    `keep their result. ${money} ` +
    (how === 'release'
      ? `${rest} without a result: due again. The next run submits them, and the service charges them again.`
      : `${rest} without a result: counted as submitted, and not submitted again until the page changes.`)
  );
}
