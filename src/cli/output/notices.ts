import { EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import type { Watch } from '../../config/config.ts';
import type { CheckResult, WatchResult } from '../../temporal-api/workflows.ts';

export interface Notices {
  /** What a reader must know beyond the table: what happened, what it means, what to do. */
  readonly sentences: readonly string[];
  readonly exitCode: ExitCode;
}

/** Reads a run's result for people and for the exit code. */
export function listNotices(watch: Watch, result: WatchResult, check: CheckResult | null): Notices {
  const { crawl, counts, plan, report, decision } = result;
  const sentences: string[] = [];
  const codes: ExitCode[] = [];
  const tell = (code: ExitCode, sentence: string) => {
    codes.push(code);
    sentences.push(sentence);
  };
  if (!crawl.complete) {
    const why = crawl.problems.length > 0 ? crawl.problems : ['a sitemap could not be read to its end'];
    const meaning =
      counts.found === 0
        ? 'Nothing was submitted or charged.'
        : 'What was read before was used; nothing counts as gone. The next run reads it again.';
    tell(
      EXIT.partial,
      `${watch.id} is incomplete: ${why.map((each) => each.replace(/\.$/, '')).join('; ')}. ${meaning} Check the address, then run again.`,
    );
  } else if (counts.found === 0) {
    const why = counts.skipped > 0 ? `all ${counts.skipped} URLs are out of scope` : 'it lists no URL';
    tell(
      EXIT.partial,
      `${watch.id} (${watch.sources.join(', ')}): ${why}. Nothing was submitted or charged. ` +
        'Check that it is the right sitemap, and "hosts", "include" and "exclude" of the watch.',
    );
  }
  if (decision === 'rejected')
    tell(EXIT.guard, `${watch.id}: the run was rejected. Nothing of it was submitted or charged.`);
  if (plan !== null && plan.held > 0) {
    tell(
      EXIT.balanceOrCap,
      `${watch.id}: ${plan.held} URLs are held: ${plan.heldReason}. They are planned when that allows it.`,
    );
  }
  if (report !== null && report.failed > 0) {
    tell(
      EXIT.partial,
      `${watch.id}: ${report.failed} URLs failed at the service. They are bought again as "retry_failed" allows, then quarantined.`,
    );
  }
  if (report !== null && report.quarantined > 0) {
    tell(
      EXIT.partial,
      `${watch.id}: ${report.quarantined} URLs are in quarantine and are not bought again until a person releases them.`,
    );
  }
  if (report !== null && report.stopped > 0) {
    tell(
      EXIT.partial,
      `${watch.id}: ${report.stopped} URLs are in batches that wait for a person. Nothing more is sent of them.`,
    );
  }
  if (check?.stopped) tell(EXIT.balanceOrCap, `${watch.id}: index-checks ended early: ${check.stopped}.`);
  return { sentences, exitCode: pickWorst(codes) };
}
