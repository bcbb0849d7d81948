import type { Micros } from '../../contract/money.ts';
import type { AcceptedData, ApiAnswer, Body } from '../submission/answer.ts';
import type { IdempotencyKey, Reference } from '../submission/ids.ts';
import { type AskedBatch, type Outcome, outcomeOf } from '../submission/outcome.ts';
import { tagOf } from '../submission/project-tag.ts';
import type { Url } from '../url/url.ts';
import type { Sending } from './begin-send.ts';
import { DAY, QUARTER } from './testing.ts';

/** One choice after another from a list of numbers, so that a failure is a list that can be kept and made smaller. */
export interface Choices {
  below(limit: number): number;
  readonly left: number;
}

export function choicesOf(numbers: readonly number[]): Choices {
  let at = 0;
  return {
    below: (limit) => (numbers[at++ % Math.max(1, numbers.length)] ?? 0) % limit,
    get left() {
      return numbers.length - at;
    },
  };
}

interface Job {
  readonly reference: Reference;
  readonly key: IdempotencyKey;
  readonly body: string;
  readonly project: string;
  readonly urls: readonly Url[];
  readonly at: number;
}

/** How one request fares. `after`: the service has done its work, and the answer does not arrive. */
export type Fate = 'answered' | 'lost before' | 'lost after' | 'unavailable' | 'rate limited' | 'no money';
export const FATES: readonly Fate[] = [
  'answered',
  'answered',
  'lost before',
  'lost after',
  'unavailable',
  'rate limited',
  'no money',
];

/**
 * A service that charges for every key it does not remember, and remembers them for a day only. It does not take more
 * than 8 URLs at once, and none that ends in "7".
 */
export function strictService(now: () => number) {
  const jobs: Job[] = [];
  const bodies = new Map<IdempotencyKey, string>();
  const breaches: string[] = [];

  function commit({ key, body, urls }: SendNow): Body<AcceptedData> {
    const before = bodies.get(key);
    if (before !== undefined && before !== body) breaches.push(`key ${key} came with two bodies`);
    bodies.set(key, body);
    const known = jobs.findLast((job) => job.key === key);
    if (known !== undefined && now() - known.at < DAY) return success(known);
    const bad = urls.filter((url) => url.endsWith('7'));
    if (bad.length > 0) return refusal(bad.length);
    if (known !== undefined) breaches.push(`key ${key} was charged twice`);
    const project = (JSON.parse(body) as { project: string }).project;
    const job = { reference: `R-${jobs.length}` as Reference, key, body, project, urls, at: now() };
    jobs.push(job);
    return success(job);
  }

  return {
    jobs,
    breaches,
    /** What the connector sees of one request. */
    submit(sending: SendNow, fate: Fate): ApiAnswer<AcceptedData> {
      if (fate === 'lost before') return answer(null, nothing);
      if (fate === 'unavailable') return answer(503, { kind: 'error', error: plain('down') });
      if (fate === 'rate limited') return answer(429, { kind: 'error', error: plain('slow') });
      if (fate === 'no money') return answer(402, { kind: 'error', error: plain('money') });
      if (sending.urls.length > 8) return answer(413, { kind: 'error', error: plain('large') });
      const body = commit(sending);
      if (fate === 'lost after') return answer(null, nothing);
      return answer(body.kind === 'success' ? 202 : 422, body);
    },
    find: (tag: string): Job | undefined => jobs.find(({ project }) => tagOf(project) === tag),
  };
}

type SendNow = Extract<Sending, { kind: 'send' }>;

const plain = (message: string) => ({ code: message, message, named: [], fields: [] });
const nothing = { kind: 'none', reached: true, timedOut: true, what: 'timeout' } as const;
const refusal = (bad: number): Body<AcceptedData> => ({ kind: 'error', error: plain(`${bad} bad URLs`) });
const success = ({ reference, urls }: Job): Body<AcceptedData> => ({
  kind: 'success',
  data: {
    reference,
    state: 'queued',
    charged: (urls.length * QUARTER) as Micros,
    pricePerUrl: QUARTER,
    balance: null,
    urls: urls.length,
  },
});

function answer(status: number | null, body: Body<AcceptedData>): ApiAnswer<AcceptedData> {
  return { endpoint: 'submit', status, body, requestId: null, retryAfterMs: null, budgets: [], tookMs: 0 };
}

export function judged(answered: ApiAnswer<AcceptedData>, sending: SendNow): Outcome {
  const asked: AskedBatch = { urls: sending.urls, uncertain: sending.uncertain, reference: sending.reference };
  return outcomeOf(answered, asked);
}
