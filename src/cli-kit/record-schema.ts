import type { Static, TObject, TProperties, TSchema } from 'typebox';
import { Type } from '../json-schema/type.ts';

declare const INSTANT: unique symbol;
/** An instant as text, RFC 3339 in UTC. */
export type Instant = string & { readonly [INSTANT]: true };

/**
 * Fields of machine output. Every name is snake_case and says its unit: `_micros` for micro-lira, `_seconds` or `_ms`
 * for durations, `_at` for an instant.
 */
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const text = (description: string) => Type.String({ description });
export const flag = (description: string) => Type.Boolean({ description });
export const micros = (description: string) => Type.Integer({ description });
export const instant = (description: string) =>
  Type.Unsafe<Instant>({ type: 'string', format: 'date-time', description });
export const texts = (description: string) => Type.Array(Type.String(), { description });
export const list = <T extends TSchema>(item: T, description: string) => Type.Array(item, { description });
export const optional = <T extends TSchema>(field: T) => Type.Optional(field);
export const group = <T extends TProperties>(fields: T, description: string) => Type.Object(fields, { description });

export const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], description });

/** Null is none, not yet or not known; the description says what else it means. */
export const nullable = <T extends TSchema>(field: T) =>
  Type.Unsafe<Static<T> | null>({ anyOf: [field, { type: 'null' }], description: describe(field) });

const describe = (field: TSchema): string => (field as { description?: string }).description ?? '';

/** A record: one line of `--json` output. */
export const defineRecord = <Name extends string, T extends TProperties>(name: Name, description: string, fields: T) =>
  Type.Object({ type: Type.Literal(name), ...fields }, { title: name, description });

/** What a command prints between the version and the summary record, and what its summary adds. */
export interface CommandOutput {
  readonly records: readonly TObject[];
  /** Fields that the summary has unless the command ended with `error`. */
  readonly summary: TProperties;
  /** A record that comes before the version record. */
  readonly first?: string;
}

export const VersionRecord = defineRecord('version', 'The first record of every command.', {
  schema: Type.Literal(1, { description: 'version of this contract' }),
  program: text('`courier` or `courier-service`'),
  version: text('version of the program'),
});

const SUMMARY_FIELDS = {
  ok: flag('`exit_code` is 0'),
  exit_code: Type.Integer({ description: 'see [exit codes](exit-codes.md)' }),
  error: optional(text('why the command ended early; absent when it finished')),
};

/** The last record of every command. The fields of the command itself are absent when it ended with `error`. */
export function defineSummary(fields: TProperties): TObject {
  const own = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Type.Optional(field)]));
  return defineRecord('summary', 'The last record of every command, on failure too.', { ...SUMMARY_FIELDS, ...own });
}

export const toInstant = (at: number): string => new Date(at).toISOString();
export const toInstantOrNull = (at: number | null): string | null => (at === null ? null : toInstant(at));

type Documented = Readonly<Record<string, CommandOutput>>;

/** The JSON Schemas of a program's machine output: one per record type, and which command prints which. */
export function buildOutputSchema(program: string, commands: Documented): Record<string, unknown> {
  const definitions: Record<string, unknown> = { version: VersionRecord };
  for (const [command, { records, summary }] of Object.entries(commands)) {
    for (const record of records) definitions[getRecordName(record)] = record;
    definitions[getSummaryName(command)] = defineSummary(summary);
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Machine output of ${program}, schema 1`,
    description:
      'One record a line. Records and fields may be added; a field never changes its meaning. Ignore what you do not know. ' +
      'Null is none, not yet or not known, unless the field says more.',
    anyOf: Object.keys(definitions).map((name) => ({ $ref: `#/$defs/${name}` })),
    commands: Object.fromEntries(
      Object.entries(commands).map(([command, { records, first }]) => [
        command,
        [
          ...(first === undefined ? [] : [first]),
          'version',
          ...records.map(getRecordName).filter((name) => name !== first),
          getSummaryName(command),
        ],
      ]),
    ),
    $defs: definitions,
  };
}

const getSummaryName = (command: string): string => `summary_${command.replaceAll(/\W/g, '_')}`;

export const getRecordName = (record: TObject): string => (record as { title?: string }).title ?? '';
