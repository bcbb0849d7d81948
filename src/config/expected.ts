import { PATTERN } from './schema/values.ts';
import { didYouMean, findNearest } from './suggest.ts';

/** The part of a JSON Schema that messages are made from. */
export interface Expectation {
  readonly type?: string;
  readonly description?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly examples?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Expectation>>;
  readonly items?: Expectation;
  readonly anyOf?: readonly Expectation[];
}

const LONGEST_SHOWN = 60;

/** A value from the file, shortened to fit in a line of output, without the credentials of an address. */
export function show(value: unknown): string {
  const text = (JSON.stringify(value) ?? String(value)).replace(/\/\/[^/@"]*@/g, '//[secret]@');
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** A value as a configuration writes it, on one line. */
export function toYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toYaml).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, inner]) => `${key}: ${toYaml(inner)}`)
      .join(', ')} }`;
  }
  const text = String(value);
  return typeof value === 'string' && (text === '' || /^[*%@&!|>"'#?-]|[#,[\]{}]|: |\* /.test(text))
    ? `"${text}"`
    : text;
}

/** What is wrong with a value and what to write: `90 is not an amount; write 90 TRY`. */
export function describeMistake(value: unknown, schema: Expectation): string {
  const branch = schema.anyOf?.find(({ type }) => (type === 'object') === (typeof value === 'object'));
  if (branch !== undefined && value !== null) return describeMistake(value, branch);
  if (value === null) return `has no value; write ${exampleFor(schema)}, or remove the setting`;
  return `${show(value)} ${describe(value, schema)}`;
}

function describe(value: unknown, schema: Expectation): string {
  const { type, pattern } = schema;
  if (schema.const !== undefined) return `is not the version of this format; write ${toYaml(schema.const)}`;
  if (schema.enum !== undefined)
    return `is not one of: ${schema.enum.join(', ')}${didYouMean(String(value), schema.enum)}`;
  if (type === 'boolean') return `is neither true nor false${toBoolean(value)}`;
  if (type === 'integer' || type === 'number') return describeNumber(value, schema);
  if (type === 'array')
    return `is not a list; write ${typeof value === 'object' ? exampleFor(schema) : `[${toYaml(value)}]`}`;
  if (type === 'object') return `is not a group of settings; write ${exampleFor(schema)}`;
  if (pattern === PATTERN.amount) return describeAmount(value, schema);
  if (pattern === PATTERN.duration) return describeDuration(value, schema);
  if (pattern === PATTERN.percent) return describePercent(value, schema);
  if (typeof value !== 'string')
    return `is not text; write ${typeof value === 'object' ? exampleFor(schema) : `"${String(value)}"`}`;
  if (pattern === PATTERN.address || pattern === PATTERN.robots) return describeAddress(value, schema);
  if (pattern === PATTERN.path) return describePath(value);
  if (pattern === PATTERN.file)
    return `is not a path of a file${value.startsWith('-----') ? ', but its content' : ''}; write ${exampleFor(schema)}`;
  if (pattern === PATTERN.name) return describeName(value);
  if (pattern === PATTERN.database) return 'is not a database; write sqlite:PATH or postgres://USER@HOST/NAME';
  if (schema.minLength !== undefined && value.length < schema.minLength)
    return value === ''
      ? `is empty; write ${exampleFor(schema)}`
      : `is too short; write at least ${schema.minLength} characters`;
  if (schema.maxLength !== undefined && value.length > schema.maxLength)
    return `has ${value.length} characters; write at most ${schema.maxLength}`;
  return `is not valid; write ${exampleFor(schema)}`;
}

/** What to write for a setting that is missing. */
export function exampleFor({
  examples,
  enum: words,
  type,
  properties = {},
  required = [],
  const: constant,
}: Expectation): string {
  if (constant !== undefined) return toYaml(constant);
  if (examples?.[0] !== undefined)
    return examples.length === 1 ? toYaml(examples[0]) : examples.slice(0, 3).map(toYaml).join(' or ');
  if (words !== undefined) return words.join(' or ');
  if (type === 'boolean') return 'true or false';
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  const inner = names.flatMap((name) =>
    properties[name] === undefined
      ? []
      : `${name}: ${exampleFor({ ...properties[name], examples: properties[name].examples?.slice(0, 1) ?? [] })}`,
  );
  return inner.length === 0 ? 'a value' : `{ ${inner.join(', ')} }`;
}

function toBoolean(value: unknown): string {
  const word = String(value).toLowerCase();
  if (['yes', 'on', '1', 'y', 'true', 'evet'].includes(word)) return '; write true';
  return ['no', 'off', '0', 'n', 'false', 'hayır'].includes(word) ? '; write false' : '';
}

function describeNumber(value: unknown, { type, minimum, maximum, examples = [] }: Expectation): string {
  const example = examples[0] ?? minimum ?? 1;
  if (typeof value === 'string') {
    const number = Number(value.replace(/\s*%$/, '').replaceAll(/[_' ]|,(?=\d{3})/g, ''));
    return `is text, not a number; write ${value.trim() === '' || Number.isNaN(number) ? toYaml(example) : number}`;
  }
  if (typeof value !== 'number') return `is not a number; write ${toYaml(example)}`;
  if (minimum !== undefined && value < minimum) return `is too small; write ${minimum} or more`;
  if (maximum !== undefined && value > maximum) return `is too large; write ${maximum} or less`;
  return type === 'integer'
    ? `is not a whole number; write ${Math.round(value)}`
    : `is not valid; write ${toYaml(example)}`;
}

function describeAmount(value: unknown, schema: Expectation): string {
  const what = 'is not an amount in TRY';
  const [, number, rest = ''] = /^\s*₺?\s*(\d+(?:[.,]\d+)?)\s*(.*)$/.exec(String(value)) ?? [];
  const isLira = /^(₺|tl|try|lira)?$/i.test(rest.trim());
  return number === undefined || !isLira
    ? `${what}; write ${exampleFor(schema)}`
    : `${what}; write ${number.replace(',', '.')} TRY`;
}

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/^(ms|msecs?|milliseconds?)$/i, 'ms'],
  [/^(s|secs?|seconds?|saniye)$/i, 's'],
  [/^(m|mins?|minutes?|dakika|dk)$/i, 'm'],
  [/^(h|hrs?|hours?|saat)$/i, 'h'],
  [/^(d|days?|gün)$/i, 'd'],
];

function describeDuration(value: unknown, schema: Expectation): string {
  const what = 'is not a duration';
  const [, number, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([^\d\s]*)\s*$/.exec(String(value)) ?? [];
  if (number !== undefined && unit === '') return `has no unit; write ${number}s, ${number}m, ${number}h or ${number}d`;
  const known = UNITS.find(([word]) => word.test(unit))?.[1];
  if (number !== undefined && known !== undefined) return `${what}; write ${number}${known}`;
  if (number !== undefined && /^(w|weeks?|hafta)$/i.test(unit)) return `${what}; write ${Number(number) * 7}d`;
  return `${what}; write ${exampleFor(schema)}`;
}

function describePercent(value: unknown, schema: Expectation): string {
  const number = Number(String(value).replace('%', '').trim());
  if (String(value).trim() === '' || Number.isNaN(number)) return `is not a percentage; write ${exampleFor(schema)}`;
  if (number > 100) return 'is more than 100%; write 100% or less';
  return number < 0 ? 'is less than 0%; write 0% or more' : `is not a percentage; write ${number}%`;
}

function describeAddress(value: string, schema: Expectation): string {
  if (/^https?:\/\/[^/]*@/.test(value)) return 'has a user name or password; leave them out of the address';
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?(\/\S*)?$/i.test(value))
    return `is not a whole address; write https://${value}`;
  return `is not an address; write ${exampleFor(schema)}`;
}

function describePath(value: string): string {
  const path = URL.canParse(value) ? new URL(value).pathname : null;
  if (path !== null) return `is an address; a glob is over the path alone. Write it as ${toYaml(decodeURI(path))}`;
  return `is not a path: every path begins with "/". Write it as ${toYaml(`/${value}`)}`;
}

function describeName(value: string): string {
  const name = value
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|-+$/g, '')
    .slice(0, 63);
  return `is not a name: small letters, digits, "-" and "_". Write it as ${name === '' ? 'shop' : name}`;
}

/** What is said of a setting that does not exist. */
export function describeUnknown(name: string, known: readonly string[]): string {
  if (/^\d+$/.test(name)) return `unknown setting "${name}"; write numbers without commas, such as 5000`;
  const nearest = findNearest(name, known);
  const instead =
    nearest !== null ? `; did you mean "${nearest}"?` : known.length > 0 ? `; valid settings: ${known.join(', ')}` : '';
  return `unknown setting "${name}"${instead}`;
}
