import type { ApiAnswer, EnvelopeError } from './answer.ts';
import { isStillRunning } from './still-running.ts';

/** A URL that the service rejects, with its reason. */
export interface RejectedUrl {
  readonly url: string;
  readonly reason: string;
}

/** Send the same bytes again later, with the same key. */
export interface Retry {
  readonly kind: 'retry';
  readonly why: 'rate-limited' | 'in-progress' | 'unavailable' | 'unknown';
  readonly chargeState: 'none' | 'unknown';
  /** Minimum wait; null leaves it to the backoff. */
  readonly retryAfterMs: number | null;
  readonly message: string;
}

/** Insufficient balance: the batch waits until the balance suffices. */
export interface Suspend {
  readonly kind: 'suspend';
  readonly chargeState: 'none';
  readonly message: string;
}

/** The API key is rejected: the account sends nothing until it works again. */
export interface StopAccount {
  readonly kind: 'reject_key';
  readonly chargeState: 'none';
  readonly message: string;
}

/** Too large, or one of its URLs is bad and not named: `splitBatch` it; each half has its own key. */
export interface Split {
  readonly kind: 'split';
  readonly why: 'too-large' | 'invalid';
  readonly chargeState: 'none';
  readonly message: string;
}

/** These URLs are bad. The rest, if any, is a batch of its own. */
export interface Quarantine {
  readonly kind: 'quarantine';
  readonly rejected: readonly RejectedUrl[];
  readonly chargeState: 'none';
  readonly message: string;
}

/**
 * Look the job up in the list first. `ifAbsent` says how to continue when the list does not have it; null means that the
 * batch needs review.
 */
export interface Conflict {
  readonly kind: 'conflict';
  readonly chargeState: 'unknown';
  readonly ifAbsent: Split | Quarantine | null;
  readonly message: string;
}

/** An internal error (a bug), or a wrong base URL: the batch needs review. */
export interface Defect {
  readonly kind: 'defect';
  readonly chargeState: 'none';
  readonly message: string;
}

export type Refusal = Retry | Suspend | StopAccount | Split | Quarantine | Conflict | Defect;

/** The request that a response belongs to. */
export interface RequestContext {
  /** The URLs of its body, in order. */
  readonly urls: readonly string[];
  /** The outcome of an earlier attempt is unknown: it may have been charged. */
  readonly inDoubt: boolean;
}

/** Without Retry-After: the shortest rate-limit window of the specification has passed by then. */
const RATE_LIMIT_WAIT_MS = 60_000;
/** Some services send Retry-After: 0 or a past date with a 429, which would cause a tight loop. */
const LEAST_RATE_LIMIT_WAIT_MS = 1_000;

/** The part of the answer table that both paid endpoints share: every response that is not an acceptance. */
export function decideRefusal(answer: ApiAnswer, request: RequestContext): Refusal {
  const { status, body, retryAfterMs } = answer;
  const said = getServiceMessage(answer);
  if (body.kind === 'none') {
    return body.reached
      ? unknown(answer, `no response (${body.what})`)
      : retry('unavailable', 'none', retryAfterMs, `the service could not be reached (${body.what}); nothing was sent`);
  }
  if (body.kind === 'success') return unknown(answer, `status ${status} with an unusable success`);
  if (body.kind === 'unreadable' && body.claimsSuccess) return unknown(answer, body.what);
  // Gateways send these two as well, with their own bodies; in both cases the request did not reach the service.
  if (status === 429) return retry('rate-limited', 'none', rateLimitWait(answer), `rate limit reached${said}`);
  if (status === 413) return whenCertain(tooLarge(request, said), request);
  if (status === 401) return stop(`the API key was refused${said}`);
  if (body.kind === 'unreadable') return unknown(answer, status === 404 ? `${body.what} (check base_url)` : body.what);
  switch (status) {
    case 402:
      return {
        kind: 'suspend',
        chargeState: 'none',
        message: `the balance does not suffice${said}; nothing was charged`,
      };
    case 403:
      return stop(`the service refuses this account${said}`);
    case 409:
      return toConflict(answer, said);
    case 422:
      return whenCertain(invalid(body.error, request, said), request);
    case 400:
    case 404:
    case 405:
    case 415:
      return {
        kind: 'defect',
        chargeState: 'none',
        message: `the service does not accept this request (status ${status}${said}); nothing was charged. ${toAdvice(status, body.error)}`,
      };
    case 503:
      return answer.endpoint === 'index-check'
        ? retry('unavailable', 'none', retryAfterMs, `index-check is not available${said}; nothing was charged`)
        : unknown(answer, `the service is not available${said}`);
    default:
      return unknown(answer, `status ${status}${said}`);
  }
}

function toAdvice(status: number, { code, message, fields }: EnvelopeError): string {
  if (status === 404 || status === 405) return 'There is no such address at the service: check base_url';
  if ([code ?? '', message, ...fields].some((text) => /idempotency/i.test(text))) {
    return (
      'The key is one that the specification allows (4.6: 8 to 100 safe characters), and no setting changes it: ask the service ' +
      'to accept keys of letters, digits and hyphens'
    );
  }
  return 'The batch is not sent again unchanged: check the settings of its account and watch, or ask the service';
}

function getServiceMessage({ body, requestId }: ApiAnswer): string {
  const parts = body.kind === 'error' ? [body.error.code, body.error.message] : [];
  const said = parts.filter((part) => part !== null && part !== '').join(': ');
  const request = requestId === null ? '' : `, request ${requestId}`;
  return said === '' ? request : `, "${said}"${request}`;
}

function retry(
  why: Retry['why'],
  chargeState: Retry['chargeState'],
  retryAfterMs: number | null,
  message: string,
): Retry {
  return { kind: 'retry', why, chargeState, retryAfterMs, message };
}

function unknown({ retryAfterMs }: ApiAnswer, what: string): Retry {
  const message = `${what}: it may have been charged. The same bytes are sent again with the same key`;
  return retry('unknown', 'unknown', retryAfterMs, message);
}

const stop = (what: string): StopAccount => ({
  kind: 'reject_key',
  chargeState: 'none',
  message: `${what}; nothing was charged. The account sends nothing until the key works: correct the key or ask the service`,
});

/** Retry-After, else the reset time of an exhausted window, else a minute. */
export function rateLimitWait({ retryAfterMs, budgets }: Pick<ApiAnswer, 'retryAfterMs' | 'budgets'>): number {
  if (retryAfterMs !== null) return Math.max(retryAfterMs, LEAST_RATE_LIMIT_WAIT_MS);
  const resets = budgets.filter(({ remaining }) => remaining === 0).map(({ resetMs }) => resetMs ?? 0);
  const latest = Math.max(0, ...resets);
  return latest > 0 ? Math.max(latest, LEAST_RATE_LIMIT_WAIT_MS) : RATE_LIMIT_WAIT_MS;
}

function tooLarge({ urls }: RequestContext, said: string): Split | Defect {
  if (urls.length > 1) {
    return {
      kind: 'split',
      why: 'too-large',
      chargeState: 'none',
      message: `too large for the service${said}; nothing was charged. Each half is sent as a new batch`,
    };
  }
  return {
    kind: 'defect',
    chargeState: 'none',
    message:
      `the service rejects a request with one URL as too large${said}; nothing was charged. The URL is not the problem: ` +
      'check base_url and any gateway in between, then release the batch',
  };
}

function invalid(error: EnvelopeError, { urls }: RequestContext, said: string): Split | Quarantine | Defect {
  const rejected = findNamedUrls(urls, error);
  if (rejected.length > 0 && (rejected.length < urls.length || urls.length === 1)) return quarantine(rejected);
  if (error.named.length === 0 && error.fields.length > 0) {
    return {
      kind: 'defect',
      chargeState: 'none',
      message: `the service rejects the field ${error.fields.join(', ')} of the request${said}; nothing was charged. The URLs are not the problem: correct the setting`,
    };
  }
  const [only] = urls;
  if (only !== undefined && urls.length === 1)
    return quarantine([{ url: only, reason: error.message || 'refused by the service' }]);
  return {
    kind: 'split',
    why: 'invalid',
    chargeState: 'none',
    message: `a URL of this batch is refused${said}; nothing was charged. Each half is sent as a new batch`,
  };
}

const quarantine = (rejected: readonly RejectedUrl[]): Quarantine => ({
  kind: 'quarantine',
  rejected,
  chargeState: 'none',
  message: `${rejected.length} URLs are refused (${rejected[0]?.reason ?? ''}); nothing was charged. They are quarantined; the remaining URLs are sent as a new batch`,
});

/** The request's URLs that the error names; URLs that were not sent are ignored. */
function findNamedUrls(urls: readonly string[], { named }: EnvelopeError): RejectedUrl[] {
  const sent = new Set(urls);
  const found = new Map<string, string>();
  for (const { url, index, reason } of named) {
    const byIndex = index === null ? undefined : urls[index];
    const rejected = url !== null && sent.has(url) ? url : url === null ? byIndex : undefined;
    if (rejected !== undefined && !found.has(rejected)) found.set(rejected, reason);
  }
  return [...found].map(([url, reason]) => ({ url, reason }));
}

/** A refusal proves nothing about an earlier attempt in doubt: look that one up first. */
function whenCertain(refusal: Split | Quarantine | Defect, { inDoubt }: RequestContext): Refusal {
  if (!inDoubt || refusal.kind === 'defect') return refusal;
  return {
    kind: 'conflict',
    chargeState: 'unknown',
    ifAbsent: refusal,
    message: `an earlier attempt may have been accepted, but this one was refused: ${refusal.message}. The batch is looked up in the list first`,
  };
}

function toConflict(answer: ApiAnswer, said: string): Refusal {
  if (isStillRunning(answer)) {
    return retry('in-progress', 'unknown', answer.retryAfterMs, `the same request is still running${said}`);
  }
  return {
    kind: 'conflict',
    chargeState: 'unknown',
    ifAbsent: null,
    message: `the service reports a conflict${said}. The batch is looked up in the list; nothing is sent again`,
  };
}
