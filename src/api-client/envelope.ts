import type { Body } from '../submission/answer.ts';
import { readError } from './read/errors.ts';
import { asText, InvalidPayload, indexFields, isObject, type Json, readFirst } from './read/fields.ts';

/** A complete response as received. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  /** The target of a redirect. */
  readonly location: string | null;
}

/** The data of a successful response, or an `InvalidPayload` that says why it cannot be used. */
export type DataReader<Data> = (data: Json, envelope: Json) => Data | InvalidPayload;

export interface ReadEnvelope<Data> {
  readonly body: Body<Data>;
  readonly requestId: string | null;
}

/**
 * Reads the envelope (spec 2.6) together with the status, as the specification requires. A response without an envelope,
 * or with contradictory parts, is unreadable, whatever its status.
 */
export function readEnvelope<Data>(raw: RawAnswer, read: DataReader<Data>): ReadEnvelope<Data> {
  const unreadable = (what: string, requestId: string | null = null, claimsSuccess = false): ReadEnvelope<Data> => ({
    body: { kind: 'unreadable', what: `status ${raw.status} with ${what}`, claimsSuccess },
    requestId,
  });
  if (raw.status >= 300 && raw.status < 400) {
    return unreadable(`a redirect${raw.location === null ? '' : ` to ${raw.location}`}, which is not followed`);
  }
  const json = parsed(raw.text);
  if (json === undefined) return unreadable(describe(raw.text));
  if (!isObject(json)) return unreadable('JSON that is not an envelope');
  const fields = indexFields(json);
  const requestId = readFirst(fields, ['requestid'], asText);
  const success = toSuccess(fields);
  if (success === null) return unreadable('JSON that is not an envelope', requestId, fields.has('success'));
  if (success === 'contradictory') return unreadable('an envelope that contradicts itself', requestId, true);
  if (!success) return { body: { kind: 'error', error: readError(json) }, requestId };
  const data = read(fields.get('data') ?? null, json);
  if (data instanceof InvalidPayload) return unreadable(`a success ${data.what}`, requestId, true);
  return { body: { kind: 'success', data }, requestId };
}

function toSuccess(fields: ReadonlyMap<string, Json>): boolean | null | 'contradictory' {
  const flag = fields.get('success');
  const status = fields.get('status');
  const byStatus = status === 'success' ? true : status === 'error' ? false : null;
  if (typeof flag !== 'boolean') return flag === undefined ? byStatus : null;
  if (byStatus !== null && byStatus !== flag) return 'contradictory';
  const failed = isObject(fields.get('error'));
  return flag && failed ? 'contradictory' : flag;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
  } catch {
    return undefined;
  }
}

function describe(text: string): string {
  const start = text.trimStart();
  if (start === '') return 'an empty body';
  if (start.startsWith('<')) return 'a page instead of JSON';
  return start.startsWith('{') ? 'JSON that is cut off or malformed' : 'a body that is not JSON';
}
