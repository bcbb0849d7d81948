import type { CrawlReport, GuardHold, PlanReport, RunReport, RunVerdict } from './payloads.ts';
import { batches, count, counted, money, urls, withoutStop } from './sentences.ts';
import type { WatchResult } from './workflows.ts';

/** What a run did, in the sentences that its result begins with. */
export function describeResult({ crawl, counts, plan, report, decision }: WatchResult, by = ''): string {
  if (decision === 'rejected') return `Rejected by ${by}: nothing of this run was submitted or charged.`;
  const sentences: string[] = [];
  if (!crawl.complete) sentences.push(`INCOMPLETE: ${describeProblems(crawl)}.`);
  sentences.push(describePlan(plan, report));
  const { found, changed, gone } = counts;
  const more = [
    `${urls(found)} found`,
    `${count(counts.new)} new`,
    ...(changed > 0 ? [`${count(changed)} changed`] : []),
    ...(gone > 0 ? [`${count(gone)} gone`] : []),
  ];
  sentences.push(`${more.join(', ')}.`);
  if (plan !== null && plan.held > 0) {
    sentences.push(`${urls(plan.held)} held back: ${withoutStop(plan.heldReason ?? 'a cap')}.`);
  }
  if (report !== null && report.unanswered > 0) {
    sentences.push(`${batches(report.unanswered)} not accepted yet: the dispatcher continues with them.`);
  }
  if (report !== null && report.stopped > 0)
    sentences.push(`${urls(report.stopped)} in batches that need your review.`);
  if (report !== null && report.withoutResult > 0)
    sentences.push(`${urls(report.withoutResult)} whose job ended without a result for them.`);
  return sentences.join(' ');
}

function describePlan(plan: PlanReport | null, report: RunReport | null): string {
  if (plan === null || plan.urls === 0) return 'Nothing to submit.';
  if (report === null) return `Planned ${urls(plan.urls)} for ${money(plan.cost)}.`;
  const { submitted, charged, unknownChargeUrls } = report;
  const price = unknownChargeUrls > 0 ? `${money(charged)} and a charge not known yet` : money(charged);
  return `Submitted ${submitted === plan.urls ? urls(submitted) : `${count(submitted)} of ${urls(plan.urls)}`} for ${price}.`;
}

const describeProblems = ({ problems }: CrawlReport): string =>
  problems.length === 0
    ? 'a sitemap could not be read to its end'
    : `${withoutStop(problems[0] ?? '')}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''}`;

export interface RunFailure {
  readonly kind: 'nothingRead' | 'incompleteTooOften';
  readonly message: string;
}

/** Why a run that did its work ends as failed; null when it does not. */
export function findRunFailure(result: WatchResult, { incompleteRuns, limit }: RunVerdict): RunFailure | null {
  const { crawl, plan, report } = result;
  if (crawl.complete) return null;
  const why = describeProblems(crawl);
  const done =
    plan === null || plan.urls === 0 ? 'Nothing was submitted or charged by this run.' : describePlan(plan, report);
  if (crawl.urls === 0) {
    return {
      kind: 'nothingRead',
      message: `Nothing could be read: ${why}. ${done} Check the address; the next run reads it again.`,
    };
  }
  if (incompleteRuns < limit) return null;
  return {
    kind: 'incompleteTooOften',
    message:
      `Incomplete ${counted(incompleteRuns, 'time', 'times')} in a row: ${why}. ${done} URLs of a sitemap that cannot be ` +
      'read are not submitted. Check the address; the next run reads it again.',
  };
}

/** What a guard asks of you, with the money: "approve or reject 4,210 URLs, 1,052.50 TRY". An approval buys no more. */
export function describeHold({ question, reasons, remedy }: GuardHold): string {
  const why = reasons.map(withoutStop).join('; ');
  const { urls: due, cost, allowed, missing } = question;
  const what = due === 0 ? 'this run, which has nothing to buy' : `${urls(due)}, ${money(cost)}`;
  const lacks = missing !== null && missing > 0 ? ` (${money(missing)} of it missing on the account)` : '';
  const part = allowed < due ? `; ${count(allowed)} of them are allowed now, the others by later runs` : '';
  return `approve or reject ${what}${lacks}${part}. ${why}${remedy === undefined ? '' : `. ${remedy}`}`;
}
