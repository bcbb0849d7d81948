import { hash } from 'node:crypto';
import { LIMITS } from '../../contract/limits.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import type { Url } from '../url/normalize-url.ts';
import type { AccountId, IdempotencyKey, WatchId } from './ids.ts';
import { normalizeProject, tagFrom, taggedProject } from './project-tag.ts';

/** Version prefix of every key: two body formats never share a key. */
const FORMAT = 'sc1';

export interface FreezeInput {
  readonly baseUrl: string;
  readonly account: AccountId;
  readonly watch: WatchId;
  readonly service: ServiceLevel;
  readonly project: string;
  /** How often these URLs were deliberately submitted, including this time. */
  readonly generation: number;
  readonly urls: readonly Url[];
}

export interface FrozenRequest {
  /** `sc1-` and 40 hexadecimal digits. */
  readonly key: IdempotencyKey;
  /** The exact JSON text; sent as UTF-8, the same bytes on every attempt. */
  readonly body: string;
  /** SHA-256 of the body's bytes, in hexadecimal digits. */
  readonly digest: string;
}

export interface FrozenBatch extends FrozenRequest {
  /** As sent: with the tag. */
  readonly project: string;
  /** Finds this batch in the service's list. */
  readonly tag: string;
}

/**
 * Computes the request body and the idempotency key of a planned batch (spec 4.6; docs/explanation/exactly-once.md).
 * Pure: another process, machine or Node version computes the same bytes and the same key. Throws a RangeError for a
 * batch that the specification forbids, before anything is sent.
 */
export function freezeBatch(input: FreezeInput): FrozenBatch {
  const { baseUrl, account, watch, service, generation, urls } = input;
  const base = normalizeBaseUrl(baseUrl);
  const project = normalizeProject(input.project);
  checkUrls(urls, LIMITS.submissionUrls);
  checkOrdinal('generation', generation);
  const tag = tagFrom(sha256([FORMAT, 'tag', base, account, watch, service, project, generation, urls]));
  const tagged = taggedProject(project, tag);
  const body = JSON.stringify({ project: tagged, service, urls });
  const digest = computeDigest(body);
  const key = keyFrom([FORMAT, base, account, 'POST /submissions', watch, service, tagged, generation, digest]);
  return { key, body, digest, project: tagged, tag };
}

export interface FreezeCheckInput {
  readonly baseUrl: string;
  readonly account: AccountId;
  readonly watch: WatchId;
  /** The number of this check: a second check of the same URLs is another request with another key. */
  readonly round: number;
  readonly urls: readonly Url[];
}

/** The same for an index-check (spec 4.8): at most 50 URLs, each charged. */
export function freezeCheck({ baseUrl, account, watch, round, urls }: FreezeCheckInput): FrozenRequest {
  checkUrls(urls, LIMITS.indexCheckUrls);
  checkOrdinal('round', round);
  const body = JSON.stringify({ urls });
  const digest = computeDigest(body);
  const key = keyFrom([FORMAT, normalizeBaseUrl(baseUrl), account, 'POST /index-check', watch, round, digest]);
  return { key, body, digest };
}

/** SHA-256 of a body's UTF-8 bytes. Compare it with the stored digest before every attempt. */
export function computeDigest(body: string): string {
  return hash('sha256', body);
}

/** A JSON array is unambiguous: two different lists of parts never give the same text. */
const sha256 = (parts: readonly unknown[]): string => computeDigest(JSON.stringify(parts));

const keyFrom = (parts: readonly unknown[]): IdempotencyKey =>
  `${FORMAT}-${sha256(parts).slice(0, 40)}` as IdempotencyKey;

const normalizeBaseUrl = (baseUrl: string): string => baseUrl.replace(/\/+$/, '');

/** Whether two base URLs name the same service; a trailing slash makes no difference. */
export const isSameBaseUrl = (a: string, b: string): boolean => normalizeBaseUrl(a) === normalizeBaseUrl(b);

function checkUrls(urls: readonly Url[], max: number): void {
  if (urls.length < 1 || urls.length > max)
    throw new RangeError(`a request takes 1 to ${max} URLs, not ${urls.length}`);
  if (new Set(urls).size !== urls.length) throw new RangeError('a request contains the same URL twice');
}

function checkOrdinal(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} must be a whole number, not ${value}`);
}
