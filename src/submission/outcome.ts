import { formatTry, type Micros } from '../../contract/money.ts';
import type { AcceptedData, ApiAnswer, CheckData, CheckResult, Verdict } from './answer.ts';
import { canonicalUrl } from './canonical-url.ts';
import type { Reference } from './ids.ts';
import { type Conflict, decideRefusal, type Refusal, type RequestContext } from './refusal.ts';
import { DEFAULT_TERMINAL_STATES } from './states.ts';

/** The service took the batch and charged it, now or when the key was first seen. */
export interface Accepted {
  readonly kind: 'accepted';
  readonly chargeState: 'charged';
  readonly reference: Reference;
  /** The answer to an earlier attempt, given again (spec 4.6 rule 2): no new charge. */
  readonly replay: boolean;
  readonly state: string | null;
  /** What the answer calls the charge; null when it does not say. */
  readonly charged: Micros | null;
  readonly pricePerUrl: Micros | null;
  readonly balance: Micros | null;
  /** What the answer says that does not fit the batch, in sentences. */
  readonly warnings: readonly string[];
}

export type Outcome = Accepted | Refusal;

export interface BatchContext extends RequestContext {
  /** Recorded for this key by an earlier answer. */
  readonly reference: Reference | null;
}

/**
 * What an answer to `POST /submissions` means for its batch: the answer table (docs/reference/answer-table.md), and the only place
 * that decides. An answer that is not clearly an acceptance or a refusal of the service is unknown, and an unknown
 * outcome is never a reason to spend: the same bytes go again under the same key.
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
    balance: rest.balance,
    warnings: listWarnings(body.data, batch.urls.length, status === 202),
  };
}

/** 202, or 200 for a request that was accepted before; 201 from services that create. */
const isAcceptance = (status: number | null): boolean => status === 200 || status === 201 || status === 202;

function changedReference(recorded: Reference, seen: Reference): Conflict {
  return {
    kind: 'conflict',
    chargeState: 'unknown',
    ifAbsent: null,
    message:
      `the service first called this batch ${recorded} and now ${seen}: it may be charged twice. ` +
      `${recorded} stays recorded, nothing is sent again; ask the service about ${seen}`,
  };
}

/** Once is an accident; a service that does so again would do so endlessly. Its list may still know the job. */
function unusableSuccess(what: string): Conflict {
  return {
    kind: 'conflict',
    chargeState: 'unknown',
    ifAbsent: null,
    message: `again a success that cannot be used (${what}). The job is looked up in the list; nothing is sent again`,
  };
}

function listWarnings({ urls, charged, pricePerUrl, state }: AcceptedData, sent: number, isNew: boolean): string[] {
  const warnings: string[] = [];
  if (isNew && DEFAULT_TERMINAL_STATES.includes(state ?? '')) {
    warnings.push(
      `the service takes the batch and calls it ${state} at once: the job is looked at before that is believed`,
    );
  }
  if (urls !== null && urls !== sent) warnings.push(`${sent} URLs were sent and the service counts ${urls}`);
  if (charged !== null && charged < 0) warnings.push(`the charge is below zero (${formatTry(charged)})`);
  if (charged !== null && pricePerUrl !== null && charged !== pricePerUrl * sent) {
    warnings.push(`the charge of ${formatTry(charged)} is not ${sent} times the price of ${formatTry(pricePerUrl)}`);
  }
  return warnings;
}

export interface CheckedUrl {
  readonly url: string;
  readonly verdict: Verdict;
  /** The service's own status, as it is shown. */
  readonly word: string | null;
}

/** The check was made and charged. */
export interface Checked {
  readonly kind: 'checked';
  readonly chargeState: 'charged';
  /** One for each URL asked for, in order. A URL that the response leaves out is `unknown`, and was paid. */
  readonly results: readonly CheckedUrl[];
  readonly charged: Micros | null;
  readonly balance: Micros | null;
  /** Whether any verdict could be read. Without one, further checks would be paid and thrown away. */
  readonly usable: boolean;
}

/** The same for `POST /index-check` (spec 4.8). A 503 there means that nothing was charged (rule 4). */
export function decideCheckOutcome(answer: ApiAnswer<CheckData>, asked: RequestContext): Checked | Refusal {
  const { body, status } = answer;
  if (body.kind !== 'success' || !isAcceptance(status)) return decideRefusal(answer, asked);
  const { results, charged, balance } = body.data;
  const verdicts = matchResults(asked.urls, results);
  return {
    kind: 'checked',
    chargeState: 'charged',
    results: verdicts.map(({ url, verdict, word }) => ({ url, verdict, word })),
    charged,
    balance,
    usable: verdicts.some(({ readable }) => readable),
  };
}

/** Results by URL; by place when the response names no URLs and has as many results as URLs were sent. */
function matchResults(urls: readonly string[], results: readonly CheckResult[]): (CheckResult & { url: string })[] {
  const byPlace = results.length === urls.length && results.every(({ url }) => url === null);
  const named = results.filter((result): result is CheckResult & { url: string } => result.url !== null);
  const byUrl = new Map(named.map((result) => [result.url, result]));
  const byForm = new Map(named.map((result) => [canonicalUrl(result.url), result]));
  return urls.map((url, at) => {
    const result = byPlace ? results[at] : (byUrl.get(url) ?? byForm.get(canonicalUrl(url)));
    return {
      url,
      verdict: result?.verdict ?? 'unknown',
      word: result?.word ?? null,
      readable: result?.readable ?? false,
    };
  });
}
