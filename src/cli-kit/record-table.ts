import type { Static, TObject, TProperties } from 'typebox';
import { defineRecord } from './record-schema.ts';

/** The fields of a record, each with its schema and where its value comes from; an optional field is left out for undefined. */
export type FieldTable<Source, Fields extends TProperties> = {
  readonly [Name in keyof Fields]: readonly [Fields[Name], (source: Source) => Static<Fields[Name]> | undefined];
};

/** A type of record: its schema, and what builds one. */
export interface RecordTable<Source> {
  readonly schema: TObject;
  build(source: Source): { readonly type: string };
}

export const getSchemas = <Fields extends TProperties>(fields: FieldTable<never, Fields>): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, [schema]]) => [name, schema])) as Fields;

export const readFields = <Source, Fields extends TProperties>(
  fields: FieldTable<Source, Fields>,
  source: Source,
): { [Name in keyof Fields]: Static<Fields[Name]> } =>
  Object.fromEntries(Object.entries(fields).map(([name, [, read]]) => [name, read(source)])) as never;

/** Defines a type of record that is built from a `Source`. */
export const tableFor =
  <Source>() =>
  <Fields extends TProperties>(
    name: string,
    description: string,
    fields: FieldTable<Source, Fields>,
  ): RecordTable<Source> => ({
    schema: defineRecord(name, description, getSchemas(fields)),
    build: (source) => ({ type: name, ...readFields(fields, source) }),
  });
