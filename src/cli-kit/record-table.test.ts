import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { count, instant, micros, nullable, optional, text } from './record-schema.ts';
import { embed, fieldsOf, named, recordOf } from './record-table.ts';

interface Job {
  readonly urls: number;
  readonly charged: number | null;
  readonly plannedAt: number;
  readonly endedAt: number | null;
  readonly key: string;
  readonly note?: string;
}

const job: Job = { urls: 2, charged: 500_000, plannedAt: 0, endedAt: null, key: 'k' };

const FIELDS = fieldsOf<Job>()({
  urls: count('URLs'),
  charged_micros: nullable(micros('charge')),
  planned_at: instant('planned'),
  ended_at: nullable(instant('ended')),
  idempotency_key: [text('key'), ({ key }) => key],
  note: [optional(text('a note')), ({ note }) => note],
});

describe('a table of fields', () => {
  test('a field is its property in camelCase, money without its unit, an instant as text, or what its reader returns', () => {
    assert.equal(
      JSON.stringify(FIELDS.read(job)),
      '{"urls":2,"charged_micros":500000,"planned_at":"1970-01-01T00:00:00.000Z","ended_at":null,"idempotency_key":"k"}',
    );
  });

  test('a record has its type first, and the fields of a part beside its own', () => {
    const toRecord = recordOf<{ readonly id: string; readonly job: Job }>()({
      type: named('job', 'A job.'),
      id: text('name'),
      ...embed(FIELDS, ({ job: part }: { readonly job: Job }) => part),
    });
    const record = toRecord({ id: 'a', job: { ...job, note: 'n' } });
    assert.deepEqual(Object.keys(record).slice(0, 3), ['type', 'id', 'urls']);
    assert.deepEqual({ ...record }, { type: 'job', id: 'a', ...FIELDS.read(job), note: 'n' });
    assert.deepEqual(toRecord.schema.required, [
      'type',
      'id',
      'urls',
      'charged_micros',
      'planned_at',
      'ended_at',
      'idempotency_key',
    ]);
  });
});
