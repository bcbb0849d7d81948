import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { TObject } from 'typebox';
import { type CommandOutput, defineSummary, getRecordName, VersionRecord } from '../../src/cli-kit/record-schema.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

/**
 * Checks what a program printed with --json against its published schemas: a version record first, a summary last, and
 * between them only records of the command. Stricter than the schemas, which allow new fields: a field that is not
 * published fails, and the fields of a summary may be missing only beside `error`.
 */
export function checkRecords(
  published: Readonly<Record<string, CommandOutput>>,
  args: readonly string[],
  records: readonly Record<string, unknown>[],
): void {
  const command = findCommand(published, args);
  const { records: schemas, summary, first } = published[command] ?? { records: [], summary: {} };
  const types = records.map(({ type }) => type);
  const at = first !== undefined && types[0] === first ? 1 : 0;
  assert.deepEqual([types[at], types.at(-1)], ['version', 'summary'], `${args.join(' ')} printed ${types}`);
  checkRecord(command, VersionRecord, records[at]);
  const last = records.at(-1) ?? {};
  checkRecord(command, defineSummary(summary), last);
  if (last.error === undefined)
    for (const field of Object.keys(summary))
      if (!isOptional(summary[field])) assert.ok(field in last, `the summary of ${command} has no ${field}`);
  for (const record of records.toSpliced(at, 1).slice(0, -1)) {
    const schema = schemas.find((each) => getRecordName(each) === record.type);
    assert.ok(schema, `${command} prints ${record.type}, which is not published for it`);
    checkRecord(command, schema, record);
  }
}

/** The longest published command that the arguments begin with, whatever the options before it. */
function findCommand(published: Readonly<Record<string, CommandOutput>>, args: readonly string[]): string {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const [first = '', second = ''] = words;
  return `${first} ${second}` in published ? `${first} ${second}` : first;
}

const isOptional = (field: unknown): boolean => (field as { '~optional'?: unknown })['~optional'] !== undefined;

const validators = new Map<TObject, ValidateFunction>();

function checkRecord(command: string, schema: TObject, record: unknown): void {
  const validate = validators.get(schema) ?? ajv.compile(closeObjects(JSON.parse(JSON.stringify(schema))) as object);
  validators.set(schema, validate);
  const errors = validate(record) ? [] : (validate.errors ?? []);
  assert.deepEqual(
    errors.map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`),
    [],
    `${command}: ${JSON.stringify(record)}`,
  );
}

/** The same schema without room for further fields. */
function closeObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeObjects);
  if (typeof schema !== 'object' || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closeObjects(value)]));
  return closed.type === 'object' ? { ...closed, additionalProperties: false } : closed;
}
