import { formatTry, type Micros, sumMicros, ZERO } from '../../../contract/money.ts';
import { type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import { type Output, report } from '../../cli-kit/output.ts';
import { type Config, requireAccount, type Watch } from '../../config/config.ts';
import { listNewPrices } from '../../ledger/money/price.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { getEarlierBatches } from '../../ledger/reports/earlier-work.ts';
import { listBatches } from '../../ledger/reports/lists.ts';
import type { RunId } from '../../submission/ids.ts';
import type { WatchResult } from '../../temporal-api/workflows.ts';
import { toCommandError } from './command.ts';
import { formatCharge, formatCount } from './format.ts';
import { listNotices, type Notices } from './notices.ts';
import { formatSaved } from './politeness.ts';
import { toRunRecord } from './records/run.ts';

/** A run that has ended, and what you must know of it. */
export interface EndedRun extends Notices {
  readonly watch: Watch;
  readonly run: RunId;
  readonly result: WatchResult;
}

export async function toEndedRun(
  { config, ledger }: { readonly config: Config; readonly ledger: Ledger },
  watch: Watch,
  run: RunId,
  result: WatchResult,
): Promise<EndedRun> {
  const review = await listBatches(ledger, { run, state: 'needs_review' });
  const accepted = await listBatches(ledger, { run, state: 'accepted' });
  const remarked = accepted.filter(({ reason }) => reason !== null);
  const earlier = await getEarlierBatches(ledger, run);
  const { id, pricePerUrl } = requireAccount(config, watch.account);
  const changed = await listNewPrices(ledger, id, pricePerUrl);
  const newPrice = changed.find(({ service }) => service === watch.service) ?? null;
  return { watch, run, result, ...listNotices(watch, result, { review, remarked, earlier, newPrice }) };
}

/** The result of the runs of a command. */
export interface RunsShown {
  readonly exitCode: ExitCode;
  readonly charged: Micros;
}

/** Shows the runs of each watch, or why they failed. Throws what is a bug. */
export function showRuns(output: Output, watches: readonly PromiseSettledResult<readonly EndedRun[]>[]): RunsShown {
  const codes: ExitCode[] = [];
  let charged: Micros = ZERO;
  for (const each of watches) {
    if (each.status === 'rejected') {
      const error = toCommandError(each.reason);
      if (error === null) throw each.reason;
      output.warn(error.message);
      codes.push(error.exitCode);
      continue;
    }
    for (const run of each.value) {
      showRun(output, run);
      codes.push(run.exitCode);
      charged = sumMicros(charged, run.result.report?.charged ?? ZERO);
    }
  }
  return { exitCode: pickWorst(codes), charged };
}

export function showRun(output: Output, { watch, run, result, sentences, exitCode }: EndedRun): void {
  const { counts, report: sums } = result;
  output.record(toRunRecord({ ...result, watch: watch.id, run, notices: sentences }));
  const line =
    `${watch.id}: ${formatCount(counts.found)} found, ${formatCount(counts.new)} new, ` +
    `${formatCount(sums?.submitted ?? 0)} submitted, ${formatCount(sums?.completed ?? 0)} completed, ` +
    `${formatCount(sums?.failed ?? 0)} failed, charged ${sums === null ? formatTry(ZERO) : formatCharge(sums)}`;
  const { saved } = result.crawl;
  const unchanged = saved.sitemaps === 0 ? [] : [`${watch.id}: ${formatSaved(saved)}`];
  report(output, exitCode, [line, ...unchanged, ...sentences]);
}
