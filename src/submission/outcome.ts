import { formatTry, type Micros } from '../../contract/money.ts';
import { describeTwoWays } from './amount-format.ts';
import type { AcceptedData, ApiAnswer, CheckData, CheckResult, Verdict } from './answer.ts';
import { canonicalUrl } from './canonical-url.ts';
import type { Reference } from './ids.ts';
import { describeOtherCurrency } from './other-currency.ts';
import { type Conflict, decideRefusal, type Refusal, type RequestContext } from './refusal.ts';
import { DEFAULT_TERMINAL_STATES } from './states.ts';

/** The service accepted the batch and charged it, now or when it first received the key. */
export interface Accepted {
  readonly kind: 'accepted';
  readonly chargeState: 'charged';
  readonly reference: Reference;
  /** The service replayed the response to an earlier attempt (spec 4.6 rule 2): no new charge. */
  readonly replay: boolean;
  readonly state: string | null;
  /** The reported charge; null when unreported. */
  readonly charged: Micros | null;
  readonly pricePerUrl: Micros | null;
  /** Of one URL, or of all of them. */
  readonly price?: Micros | null;
  /** The currency of its amounts, where that is not the lira: they are null. Absent: not known. */
  readonly otherCurrency?: string | null;
  readonly balance: Micros | null;
  /** What in the response contradicts the batch, as messages. */
  readonly warnings: readonly string[];
}

export type Outcome = Accepted | Refusal;

export interface BatchContext extends RequestContext {
  /** Recorded for this key from an earlier response. */
  readonly reference: Reference | null;
}

/**
 * Decides what a response to `POST /submissions` means for its batch. This is the only implementation of the answer table
 * (docs/reference/answer-table.md). A response that is not clearly an acceptance or a refusal is unknown, and an unknown
 * outcome never starts a new purchase: the same bytes are sent again with the same key.
 */
export function decideOutcome(answer: ApiAnswer<AcceptedData>, batch: BatchContext): Outcome {
  const { body, status } = answer;
  if (!isAcceptance(status)) return decideRefusal(answer, batch);
  if (body.kind === 'unreadable' && body.claimsSuccess && batch.inDoubt) return unusableSuccess(body.what);
  if (body.kind !== 'success') return decideRefusal(answer, batch);
  const { reference, ...rest } = body.data;
  if (reference === null) {
    return batch.inDoubt ? unusableSuccess(`status ${status} without a reference`) : decideRefusal(answer, batch);
  }
  if (batch.reference !== null && batch.reference !== reference) return changedReference(batch.reference, reference);
  return {
    kind: 'accepted',
    chargeState: 'charged',
    reference,
    replay: status === 200,
    state: rest.state,
    charged: rest.charged,
    pricePerUrl: rest.pricePerUrl,
    price: rest.price ?? null,
    otherCurrency: rest.otherCurrency ?? null,
    balance: rest.balance,
    warnings: listWarnings(body.data, batch.urls.length, status === 202),
  };
}

/** 202, or 200 for a replay; some services use 201. */
const isAcceptance = (status: number | null): boolean => status === 200 || status === 201 || status === 202;

function changedReference(recorded: Reference, reported: Reference): Conflict {
  return {
    kind: 'conflict',
    chargeState: 'unknown',
    ifAbsent: null,
    message:
      `the service first called this batch ${recorded} and now ${reported}: it may be charged twice. ` +
      `${recorded} stays recorded, nothing is sent again; ask the service about ${reported}`,
  };
}

/** The second unusable success: more attempts would not help. The service's list may still have the job. */
function unusableSuccess(what: string): Conflict {
  return {
    kind: 'conflict',
    chargeState: 'unknown',
    ifAbsent: null,
    message: `the service reported an unusable success again (${what}). The job is looked up in the list; nothing is sent again`,
  };
}

function listWarnings(data: AcceptedData, sent: number, isNew: boolean): string[] {
  const { urls, charged, pricePerUrl, price = null, otherCurrency = null, doubtfulAmount = null, state } = data;
  const warnings: string[] = [];
  if (isNew && DEFAULT_TERMINAL_STATES.includes(state ?? '')) {
    warnings.push(
      `the service accepts the batch and reports it as ${state} at once: the job is polled before that counts`,
    );
  }
  if (urls !== null && urls !== sent) warnings.push(`${sent} URLs were sent, but the service reports ${urls}`);
  if (charged !== null && charged < 0) warnings.push(`the charge is below zero (${formatTry(charged)})`);
  if (charged !== null && pricePerUrl !== null && charged !== pricePerUrl * sent) {
    warnings.push(`the charge of ${formatTry(charged)} is not ${sent} times the price of ${formatTry(pricePerUrl)}`);
  }
  if (otherCurrency !== null) warnings.push(describeOtherCurrency(otherCurrency));
  if (doubtfulAmount !== null) warnings.push(`the charge is not known: ${describeTwoWays(doubtfulAmount)}`);
  if (charged !== null && price !== null && charged !== price && charged !== price * sent) {
    warnings.push(
      `the charge of ${formatTry(charged)} is neither the price of ${formatTry(price)} nor ${sent} times that`,
    );
  }
  return warnings;
}

export interface CheckedUrl {
  readonly url: string;
  readonly verdict: Verdict;
  /** The service's own status text, shown unchanged. */
  readonly statusName: string | null;
}

/** The check was made and charged. */
export interface Checked {
  readonly kind: 'checked';
  readonly chargeState: 'charged';
  /** One for each URL of the request, in order. A URL missing from the response is `unknown`, and was charged. */
  readonly results: readonly CheckedUrl[];
  readonly charged: Micros | null;
  readonly balance: Micros | null;
  /** Whether any verdict could be parsed. Without one, further checks would be charged for nothing. */
  readonly usable: boolean;
}

/** The same for `POST /index-check` (spec 4.8). A 503 there means that nothing was charged (rule 4). */
export function decideCheckOutcome(answer: ApiAnswer<CheckData>, request: RequestContext): Checked | Refusal {
  const { body, status } = answer;
  if (body.kind !== 'success' || !isAcceptance(status)) return decideRefusal(answer, request);
  const { results, charged, balance } = body.data;
  const verdicts = matchResults(request.urls, results);
  return {
    kind: 'checked',
    chargeState: 'charged',
    results: verdicts.map(({ url, verdict, statusName }) => ({ url, verdict, statusName })),
    charged,
    balance,
    usable: verdicts.some(({ readable }) => readable),
  };
}

/** Matches results by URL; by index when the response names no URLs and has one result for each URL sent. */
function matchResults(urls: readonly string[], results: readonly CheckResult[]): (CheckResult & { url: string })[] {
  const byIndex = results.length === urls.length && results.every(({ url }) => url === null);
  const named = results.filter((result): result is CheckResult & { url: string } => result.url !== null);
  const byUrl = new Map(named.map((result) => [result.url, result]));
  const byCanonicalUrl = new Map(named.map((result) => [canonicalUrl(result.url), result]));
  return urls.map((url, at) => {
    const result = byIndex ? results[at] : (byUrl.get(url) ?? byCanonicalUrl.get(canonicalUrl(url)));
    return {
      url,
      verdict: result?.verdict ?? 'unknown',
      statusName: result?.statusName ?? null,
      readable: result?.readable ?? false,
    };
  });
}
