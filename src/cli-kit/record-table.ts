import type { Static, TObject, TProperties, TSchema } from 'typebox';
import { Type } from '../json-schema/type.ts';
import { defineRecord, type Instant } from './record-schema.ts';

/** What a field is written from: an instant from its milliseconds. */
type Written<T> = T extends Instant ? number : T extends (infer Item)[] ? readonly Item[] : T;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The property that a field without a reader is written from: its name in camelCase, without the unit of money. */
type Property<Name> = Name extends `${infer Amount}_micros`
  ? CamelCase<Amount>
  : Name extends string
    ? CamelCase<Name>
    : never;

type HasProperty<Source, Name, Field extends TSchema> = Source extends {
  readonly [Key in Property<Name>]: Written<Static<Field>>;
}
  ? Field
  : never;

/**
 * The fields of a record: each with its schema, and with where its value comes from unless the source has a property of
 * that name (`charged_micros`: `charged`). An optional field is left out for undefined.
 */
export type FieldTable<Source, Fields extends TProperties> = {
  readonly [Name in keyof Fields]: HasProperty<Source, Name, Fields[Name]> | Entry<Source, Fields[Name]>;
};

type Entry<Source, Field extends TSchema> = readonly [Field, (source: Source) => Written<Static<Field>> | undefined];

/** Fields of one source: their schemas, and what reads them all. */
export interface Fields<Source, Schemas extends TProperties> {
  readonly schemas: Schemas;
  readonly table: { readonly [Name in keyof Schemas]: Entry<Source, Schemas[Name]> };
  read(source: Source): { readonly [Name in keyof Schemas]: Static<Schemas[Name]> };
}

/** What makes a record of its source, with the schema of the record. */
export interface RecordTable<Source> {
  (source: Source): { readonly type: string };
  readonly schema: TObject;
}

type AnyField = TSchema | readonly [TSchema, (source: never) => unknown];

/** Defines fields that several records, or the items of a list, have. */
export const fieldsOf =
  <Source>() =>
  <Schemas extends TProperties>(table: FieldTable<Source, Schemas>): Fields<Source, Schemas> => {
    const fields = Object.entries(table as Readonly<Record<string, AnyField>>);
    const readers = fields.map(([name, field]) => [name, toReader(name, field)] as const);
    const schemas = Object.fromEntries(fields.map(([name, field]) => [name, getSchema(field)])) as Schemas;
    return {
      schemas,
      table: Object.fromEntries(readers.map(([name, read]) => [name, [schemas[name], read]])) as never,
      read: (source) => {
        const record: Record<string, unknown> = {};
        for (const [name, read] of readers) record[name] = read(source as never);
        return record as never;
      },
    };
  };

/** Fields of a part of the source, for the table of the whole. */
export const embed = <Source, Part, Schemas extends TProperties>(
  { table }: Fields<Part, Schemas>,
  select: (source: Source) => Part,
): Fields<Source, Schemas>['table'] =>
  Object.fromEntries(
    Object.entries<Entry<Part, TSchema>>(table).map(([name, [schema, read]]) => [
      name,
      [schema, (source: Source) => read(select(source))],
    ]),
  ) as never;

/** The first field of a record: the name of its type. The description is that of the record. */
export const named = <Name extends string>(name: Name, description: string) =>
  [Type.Literal(name, { description }), () => name] as const;

/** Defines a type of record that is made from a `Source`. */
export const recordOf =
  <Source>() =>
  <Schemas extends TProperties & { readonly type: TSchema }>(
    table: FieldTable<Source, Schemas>,
  ): RecordTable<Source> => {
    const { schemas, read } = fieldsOf<Source>()(table);
    const { type, ...fields } = schemas;
    const { const: name, description } = type as unknown as Literal;
    const schema = defineRecord(name, description, fields);
    return Object.assign((source: Source) => read(source) as { readonly type: string }, { schema });
  };

interface Literal {
  readonly const: string;
  readonly description: string;
}

type SourceOf<Schemas extends TProperties> = {
  readonly [Name in keyof Schemas as Property<Name>]: Written<Static<Schemas[Name]>>;
};

/** Defines a type of record that is made of the values of its fields, by their names in camelCase. */
export const plainRecord = <Schemas extends TProperties>(
  table: Schemas & { readonly type: ReturnType<typeof named> },
): RecordTable<SourceOf<Omit<Schemas, 'type'>>> => recordOf<SourceOf<Omit<Schemas, 'type'>>>()(table as never);

const hasReader = (field: AnyField): field is readonly [TSchema, (source: never) => unknown] => Array.isArray(field);

const getSchema = (field: AnyField): TSchema => (hasReader(field) ? field[0] : field);

function toReader(name: string, field: AnyField): (source: never) => unknown {
  const property = name.replace(/_micros$/, '').replaceAll(/_([a-z])/g, (_, first: string) => first.toUpperCase());
  const read = hasReader(field) ? field[1] : (source: Readonly<Record<string, unknown>>) => source[property];
  if (!isInstant(getSchema(field))) return read;
  return (source) => {
    const at = read(source);
    return typeof at === 'number' ? new Date(at).toISOString() : at;
  };
}

const isInstant = (schema: { format?: unknown; anyOf?: readonly TSchema[] }): boolean =>
  schema.format === 'date-time' || (schema.anyOf ?? []).some(isInstant);
