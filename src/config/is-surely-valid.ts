type Schema = Readonly<Record<string, unknown>>;

const isGroup = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isGroup,
};

/** Keywords that allow and forbid nothing. */
const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples', '$schema', '$comment']);

type Check<Rule> = (rule: Rule, value: unknown, schema: Schema) => boolean;

/** In characters, as JSON Schema counts. */
const countCharacters = (text: string): number => [...text].length;

const KEYWORDS = {
  type: ((type, value) => typeof type === 'string' && TYPES[type]?.(value) === true) as Check<unknown>,
  const: ((wanted, value) => value === wanted) as Check<unknown>,
  enum: ((allowed, value) => allowed.includes(value)) as Check<readonly unknown[]>,
  minimum: ((least, value) => typeof value !== 'number' || value >= least) as Check<number>,
  maximum: ((most, value) => typeof value !== 'number' || value <= most) as Check<number>,
  minLength: ((least, value) => typeof value !== 'string' || countCharacters(value) >= least) as Check<number>,
  maxLength: ((most, value) => typeof value !== 'string' || countCharacters(value) <= most) as Check<number>,
  pattern: ((pattern, value) => typeof value !== 'string' || new RegExp(pattern, 'u').test(value)) as Check<string>,
  minItems: ((least, value) => !Array.isArray(value) || value.length >= least) as Check<number>,
  items: ((rule, value) => !Array.isArray(value) || value.every((each) => isSurelyValid(rule, each))) as Check<Schema>,
  anyOf: ((rules, value) => rules.some((rule) => isSurelyValid(rule, value))) as Check<readonly Schema[]>,
  required: ((names, value) =>
    !isGroup(value) || names.every((name) => Object.hasOwn(value, name) && value[name] !== undefined)) as Check<
    readonly string[]
  >,
  properties: ((rules, value) =>
    !isGroup(value) ||
    Object.entries(value).every(([name, each]) => {
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
      return rule === undefined || isSurelyValid(rule, each);
    })) as Check<Readonly<Record<string, Schema>>>,
  patternProperties: ((rules, value) =>
    !isGroup(value) ||
    Object.entries(rules).every(([pattern, rule]) => {
      const named = new RegExp(pattern, 'u');
      return Object.entries(value).every(([name, each]) => !named.test(name) || isSurelyValid(rule, each));
    })) as Check<Readonly<Record<string, Schema>>>,
  additionalProperties: ((rule, value, { properties = {}, patternProperties = {} }) => {
    if (!isGroup(value)) return true;
    const patterns = Object.keys(patternProperties as Schema).map((pattern) => new RegExp(pattern, 'u'));
    return Object.entries(value).every(
      ([name, each]) =>
        Object.hasOwn(properties as Schema, name) ||
        patterns.some((pattern) => pattern.test(name)) ||
        (isGroup(rule) && isSurelyValid(rule, each)),
    );
  }) as Check<unknown>,
} as const;

/**
 * Whether a value certainly fits a JSON Schema. False says nothing: a keyword that is not known here makes it false, so a
 * validator must then decide and say what is wrong. It compiles nothing, which for one small file takes a validator longer
 * than all else that a command does.
 */
export function isSurelyValid(schema: Schema, value: unknown): boolean {
  return Object.entries(schema).every(([keyword, rule]) => {
    if (ANNOTATIONS.has(keyword)) return true;
    const check = KEYWORDS[keyword as keyof typeof KEYWORDS] as Check<unknown> | undefined;
    return check?.(rule, value, schema) === true;
  });
}
