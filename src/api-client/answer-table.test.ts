import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { ApiAnswer, Endpoint } from '../submission/answer.ts';
import { decideCheckOutcome, decideOutcome } from '../submission/outcome.ts';

import { type DataReader, readEnvelope } from './envelope.ts';
import { toApiError } from './errors.ts';
import { toFailureData } from './failure.ts';
import { readCheck } from './read/check.ts';
import { createAnswerFormat } from './read/format.ts';
import { readAccepted } from './read/submission.ts';

const format = createAnswerFormat();
const submitted = { urls: ['https://shop.example/a', 'https://shop.example/b'], inDoubt: false, reference: null };

const envelope = (success: boolean, more: object) =>
  JSON.stringify({ success, status: success ? 'success' : 'error', message: '', request_id: 'r-1', ...more });
const error = { data: null, error: { code: 'SOME_CODE', message: 'some message' } };
const data = { reference: 'SUB-1', results: [{ url: submitted.urls[0], found: true }] };

/** The bodies for each column of the tables. */
const BODIES: Record<string, Record<string, string>> = {
  success: {
    'the envelope': envelope(true, { data }),
    'data in a submission': envelope(true, { data: { submission: { reference: 1234567 }, items: [] } }),
    'without a status': JSON.stringify({ success: true, data }),
    'a byte order mark': `\uFEFF${envelope(true, { data })}`,
  },
  error: {
    'the envelope': envelope(false, error),
    'an error that is a string': envelope(false, { data: null, error: 'no' }),
    'no error object': envelope(false, { data: null }),
    'without the flag': JSON.stringify({ status: 'error', message: 'no', ...error }),
  },
  'anything else': {
    nothing: '',
    'an HTML page': '<!doctype html><title>502</title>',
    'plain text': 'upstream connect error',
    'cut-off JSON': envelope(true, { data }).slice(0, 40),
    null: 'null',
    'a number': '7',
    'a list': '[]',
    'an empty object': '{}',
    'a problem document': JSON.stringify({ type: 'about:blank', title: 'Too much', status: 422 }),
    'success as a string': JSON.stringify({ success: 'true', data }),
    'success and error': JSON.stringify({ success: true, status: 'error', data }),
    'error and success': JSON.stringify({ success: false, status: 'success', data }),
    'success with an error in it': envelope(true, { data, error: { code: 'X', message: 'x' } }),
    'success without data': envelope(true, { data: null }),
    'success with a string as data': envelope(true, { data: 'queued' }),
  },
};
/** Only a submission needs a reference. */
const WITHOUT_REFERENCE: Record<string, string> = {
  'success without a reference': envelope(true, { data: { status: 'queued' } }),
  'success with an empty reference': envelope(true, { data: { reference: '' } }),
  'success with a reference of the wrong type': envelope(true, { data: { reference: { id: 'SUB-1' } } }),
  'success with a reference that is a path': envelope(true, { data: { reference: '..' } }),
};

function answerOf<Data>(endpoint: Endpoint, status: number, text: string, read: DataReader<Data>): ApiAnswer<Data> {
  const { body, requestId } = readEnvelope({ status, text, location: null }, read);
  return { endpoint, status, body, requestId, retryAfterMs: null, budgets: [], tookMs: 1 };
}

function decide(endpoint: Endpoint, status: number, text: string): string {
  const submit = answerOf(endpoint, status, text, (json) => readAccepted(json, format));
  const check = answerOf(endpoint, status, text, (json, whole) => readCheck(json, whole, format));
  const answer: ApiAnswer = endpoint === 'submit' ? submit : check;
  const outcome = endpoint === 'submit' ? decideOutcome(submit, submitted) : decideCheckOutcome(check, submitted);
  if (outcome.chargeState !== 'charged') {
    const thrown = toApiError(answer);
    assert.equal(thrown.chargeState, outcome.chargeState, `the error ${thrown.name} and the outcome must agree`);
    assert.equal(toFailureData(thrown).nonRetryable, outcome.kind !== 'retry', `${thrown.name} for ${outcome.kind}`);
  }
  return `${outcome.kind}, ${outcome.chargeState}`;
}

/** The rows of the table under a heading in docs/reference/answer-table.md. */
function tableOf(heading: string): { columns: string[]; rows: string[][] } {
  const page = readFileSync(new URL('../../docs/reference/answer-table.md', import.meta.url), 'utf8');
  const section = page.split(`## \`${heading}\``)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|') && !line.startsWith('| ---'));
  const [columns = [], ...rows] = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  assert.ok(rows.length > 10, 'the table exists');
  return { columns, rows };
}

describe('the answer table', () => {
  for (const [endpoint, heading] of [
    ['submit', 'POST /submissions'],
    ['index-check', 'POST /index-check'],
  ] as const) {
    const { columns, rows } = tableOf(heading);
    for (const [statuses = '', ...cells] of rows) {
      for (const status of statuses.split(',').map(Number)) {
        for (const [at, expected] of cells.entries()) {
          const column = columns[at + 1]!;
          const more = column === 'anything else' && endpoint === 'submit' ? WITHOUT_REFERENCE : {};
          const bodies = Object.entries({ ...BODIES[column], ...more });
          test(`${heading} ${status}, ${column}: ${expected}`, () => {
            for (const [label, text] of bodies) {
              const claimsSuccess = column === 'anything else' && /success/.test(label);
              assert.equal(decide(endpoint, status, text), claimsSuccess ? 'retry, unknown' : expected, label);
            }
          });
        }
      }
    }
  }
});
