import { formatTry } from '../../contract/money.ts';
import { formatCount, formatCounted } from '../submission/count.ts';
import type { AccountId, RunId } from '../submission/ids.ts';
import { formatSpan } from '../submission/span.ts';
import type { Logger } from './log.ts';
import type { AccountStopped, BatchAnswered, EmitEvent, RequestMade, RunEnded } from './worker-events.ts';

/** A service that fails this often in a row is out of order; a single failure is an ordinary retry. */
const FAILURES_OF_AN_OUTAGE = 3;

interface Outage {
  readonly since: number;
  readonly failures: number;
}

/**
 * Writes one line for each run, hold, suspension and outage, and one for its end. What happens often, as crawls, polls
 * and requests, is a debug line or none.
 */
export function createEventLog(log: Logger, now: () => number): EmitEvent {
  const outages = new Map<AccountId, Outage>();
  /** What the crawl of an incomplete run could not read, until the run ends. */
  const unread = new Map<RunId, string>();
  const stopped = new Map<AccountId, { readonly kind: AccountStopped['kind']; readonly since: number }>();

  function stop({ kind, account, reason }: AccountStopped): void {
    if (stopped.get(account)?.kind === kind) return;
    stopped.set(account, { kind, since: now() });
    if (kind === 'suspended') log.warn({ account, reason }, `account ${account} is suspended: ${reason}`);
    else log.error({ account, reason }, `the API key of account ${account} is rejected: ${reason}`);
  }

  function resume(account: AccountId): void {
    const stop = stopped.get(account);
    if (stop === undefined) return;
    stopped.delete(account);
    const what = stop.kind === 'suspended' ? 'is no longer suspended' : 'has a working API key again';
    log.info({ account }, `account ${account} ${what}, after ${formatSpan(now() - stop.since)}`);
  }

  function trackOutage({ account, endpoint, unavailable: reason }: RequestMade): void {
    const { since, failures } = outages.get(account) ?? { since: now(), failures: 0 };
    if (reason !== null) {
      outages.set(account, { since, failures: failures + 1 });
      if (failures + 1 !== FAILURES_OF_AN_OUTAGE) return;
      const text = `the service of account ${account} is unavailable: ${reason}. Batches keep their keys and are sent again`;
      log.warn({ account, endpoint, reason, since: new Date(since).toISOString() }, text);
      return;
    }
    outages.delete(account);
    if (failures < FAILURES_OF_AN_OUTAGE) return;
    const text = `the service of account ${account} responds again, after ${formatSpan(now() - since)} and ${failures} failed requests`;
    log.info({ account, failures }, text);
  }

  return (event) => {
    const { kind: _, ...fields } = event;
    switch (event.kind) {
      case 'request':
        return trackOutage(event);
      case 'suspended':
      case 'key_rejected':
        return stop(event);
      case 'key_accepted':
        return stopped.get(event.account)?.kind === 'key_rejected' ? resume(event.account) : undefined;
      case 'batch':
        if (event.accepted !== 'no') resume(event.account);
        return writeBatch(log, event);
      case 'run_ended': {
        const problem = unread.get(event.run) ?? null;
        unread.delete(event.run);
        return writeRun(log, event, problem);
      }
      case 'run_held': {
        const { watch, run, reasons } = event;
        const text = `run of ${watch} is held: ${reasons.join('; ')}. Continue it with "courier approve ${run}", or end it with "courier reject ${run}"`;
        return log.warn(fields, text);
      }
      case 'run_decided':
        return log.info(fields, `held run of ${event.watch} ${event.decision} by ${event.by}`);
      case 'run_abandoned':
        unread.delete(event.run);
        return log.warn(fields, `run of ${event.watch} was abandoned: its workflow is gone. The next run continues`);
      case 'crawl':
        if (!event.complete) unread.set(event.run, event.problems[0] ?? 'a sitemap could not be read');
        return log.debug(
          fields,
          `crawl of ${event.watch}: ${formatCounted(event.urls, 'URL')} in ${formatSpan(event.tookMs)}`,
        );
      case 'poll':
        return log.debug(fields, `job ${event.reference} is ${event.state}`);
      case 'job_ended': {
        const { reference, state, completed, failed, withoutResult } = event;
        const rest = withoutResult > 0 ? `, ${withoutResult} without a result: they count as bought` : '';
        const text = `job ${reference} ended ${state}: ${completed} URLs completed, ${failed} failed${rest}`;
        return failed + withoutResult > 0 ? log.warn(fields, text) : log.info(fields, text);
      }
      case 'index_check': {
        const { watch, urls, found, charged } = event;
        return log.info(
          fields,
          `index-check of ${watch}: ${formatCount(found)} of ${formatCounted(urls, 'URL')} found, ${formatTry(charged)} charged`,
        );
      }
    }
  };
}

function writeBatch(log: Logger, { kind: _, ...event }: BatchAnswered): void {
  const { batch, watch, urls, outcome, charged, reason } = event;
  const cost = charged === null ? '' : `, ${formatTry(charged)} charged`;
  const text = `batch ${batch} of ${watch} (${formatCounted(urls, 'URL')}) ${outcome}${cost}${reason === null ? '' : `: ${reason}`}`;
  if (event.accepted !== 'no') log.info(event, text);
  else log.warn(event, text);
}

/** `problem`: null also when another worker made the crawl. */
function writeRun(log: Logger, { kind: _, ...event }: RunEnded, problem: string | null): void {
  const { watch, found, new: fresh, changed, gone, submitted, held, heldReason, unanswered, charged, complete } = event;
  const parts = [
    `${found} found, ${fresh} new, ${changed} changed, ${gone} gone, ${submitted} submitted, ${formatTry(charged)} charged`,
    ...(unanswered === 0 ? [] : [`${unanswered} batches still wait for their response`]),
    ...(held === 0 ? [] : [`${held} URLs are kept back: ${heldReason}`]),
    ...(complete
      ? []
      : [`nothing counts as gone, because not all sitemaps were read${problem === null ? '' : `: ${problem}`}`]),
  ];
  const text = `run of ${watch} ended${complete ? '' : ' incomplete'}: ${parts.join('; ')}`;
  if (complete && held === 0) log.info(event, text);
  else log.warn(event, text);
}
