import type TypeBox from 'typebox';

/** What a schema is at run time: plain JSON Schema. */
type Schema = Readonly<Record<string, unknown>>;

const OPTIONAL = '~optional';

const builder = {
  String: (options?: Schema): Schema => ({ type: 'string', ...options }),
  Number: (options?: Schema): Schema => ({ type: 'number', ...options }),
  Integer: (options?: Schema): Schema => ({ type: 'integer', ...options }),
  Boolean: (options?: Schema): Schema => ({ type: 'boolean', ...options }),
  Null: (options?: Schema): Schema => ({ type: 'null', ...options }),
  Literal: (value: string | number | boolean, options?: Schema): Schema => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Enum: (values: readonly string[], options?: Schema): Schema => ({ enum: [...values], ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema): Schema => ({ anyOf, ...options }),
  Array: (items: Schema, options?: Schema): Schema => ({ type: 'array', items, ...options }),
  Unsafe: (schema: Schema): Schema => schema,
  Record: ({ pattern = '^.*$' }: { readonly pattern?: string }, value: Schema, options?: Schema): Schema => ({
    type: 'object',
    patternProperties: { [pattern]: value },
    ...options,
  }),
  Object(properties: Readonly<Record<string, Schema>>, options?: Schema): Schema {
    const required = Object.keys(properties).filter((name) => !Object.hasOwn(properties[name] ?? {}, OPTIONAL));
    return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options };
  },
  /** The same properties, none of them required, under other options. */
  Partial: ({ properties }: Schema, options?: Schema): Schema => ({ type: 'object', properties, ...options }),
  /** Hidden from JSON, as TypeBox has it. */
  Optional: (schema: Schema): Schema => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
};

/**
 * Builds JSON Schemas with the types of TypeBox and without loading it: its 370 modules cost more time than a small
 * command has. The schemas have what TypeBox writes into JSON, not what its own validator adds to them.
 */
export const Type = builder as unknown as Pick<typeof TypeBox, keyof typeof builder>;
