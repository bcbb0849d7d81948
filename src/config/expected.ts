import { describeAmount, listDecimals, listReadings, writeTry } from '../../contract/amount-text.ts';
import { toGlobs } from '../url/globs.ts';
import { example, type Fault, guess, rename, write } from './fault.ts';
import { PATTERN } from './schema/values.ts';
import { findNearest } from './suggest.ts';

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
  // JSON has no infinite number: it would be shown as null.
  const json = typeof value === 'number' ? undefined : JSON.stringify(value);
  const text = (json ?? String(value)).replace(/\/\/[^/@"]*@/g, '//[secret]@');
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** What is wrong with a value, and what to write: 90 "is not an amount in TRY", 90 TRY. */
export function describeMistake(value: unknown, schema: Expectation): Fault {
  const branch = schema.anyOf?.find(({ type }) => (type === 'object') === (typeof value === 'object'));
  if (branch !== undefined && value !== null) {
    const { examples = schema.examples ?? [] } = branch;
    return describeMistake(value, { ...branch, examples });
  }
  if (value === null) return { says: 'has no value', proposals: [example(listExamples(schema))], removable: true };
  const { says, proposals = [], ...rest } = describe(value, schema);
  return { ...rest, says: `${show(value)} ${says}`, proposals };
}

function describe(value: unknown, schema: Expectation): Fault {
  const { type, pattern } = schema;
  const examples = example(listExamples(schema));
  if (schema.const !== undefined)
    return { says: 'is not the version of this format', proposals: [write([schema.const])] };
  if (schema.enum !== undefined)
    return {
      says: `is not one of: ${schema.enum.join(', ')}`,
      proposals: [guess(findNearest(String(value), schema.enum))],
    };
  if (type === 'boolean') return { says: 'is neither true nor false', proposals: [write(toBoolean(value))] };
  if (type === 'integer' || type === 'number') return describeNumber(value, schema);
  if (type === 'array')
    return {
      says: 'is not a list',
      proposals: [...(typeof value === 'object' ? [] : [write(toLists(value))]), examples],
    };
  if (type === 'object')
    return { says: 'is not a group of settings', proposals: [write(toGroup(value, schema)), examples] };
  if (pattern === PATTERN.amount) return describeMoney(value, examples);
  if (pattern === PATTERN.duration) return describeDuration(value, examples);
  if (pattern === PATTERN.percent) return describePercent(value, examples);
  if (typeof value !== 'string')
    return { says: 'is not text', proposals: [write(typeof value === 'number' ? [String(value)] : []), examples] };
  if (pattern === PATTERN.address || pattern === PATTERN.robots) return describeAddress(value, examples);
  if (pattern === PATTERN.path) return describePath(value, examples);
  if (pattern === PATTERN.file)
    return {
      says: `is not a path of a file${value.startsWith('-----') ? ', but its content' : ''}`,
      proposals: [examples],
    };
  if (pattern === PATTERN.name)
    return { says: `${NO_NAME}`, proposals: [write([toName(value)].filter((name) => name !== '')), examples] };
  if (pattern === PATTERN.database)
    return {
      says: 'is not a database',
      proposals: [
        write(/^[^:?#]+\.(db|sqlite3?)$/i.test(value) ? [`sqlite:${value}`] : []),
        write(['sqlite:PATH', 'postgres://USER@HOST/NAME']),
      ],
    };
  if (schema.minLength !== undefined && value.length < schema.minLength)
    return value === ''
      ? { says: 'is empty', proposals: [examples] }
      : { says: `is too short: it needs at least ${schema.minLength} characters` };
  if (schema.maxLength !== undefined && value.length > schema.maxLength)
    return { says: `has ${value.length} characters; at most ${schema.maxLength} are allowed` };
  return { says: 'is not valid', proposals: [examples] };
}

/** Values that show the form of a setting. */
export function listExamples(schema: Expectation): unknown[] {
  const { examples = [], enum: words, type, properties = {}, required = [], const: constant } = schema;
  if (constant !== undefined) return [constant];
  if (examples.length > 0) return examples.slice(0, 3);
  if (words !== undefined) return [...words];
  if (type === 'boolean') return [true, false];
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  const inner = names.flatMap((name) => {
    const [first] = listExamples(properties[name] ?? {});
    return first === undefined ? [] : [[name, first] as const];
  });
  return inner.length === 0 ? [] : [Object.fromEntries(inner)];
}

function toBoolean(value: unknown): boolean[] {
  const word = String(value).toLowerCase();
  if (['yes', 'on', '1', 'y', 'true', 'evet'].includes(word)) return [true];
  return ['no', 'off', '0', 'n', 'false', 'hayır'].includes(word) ? [false] : [];
}

/** A value as a list: addresses in one text are several. */
function toLists(value: unknown): unknown[][] {
  if (typeof value !== 'string') return [[value], [String(value)]].slice(typeof value === 'boolean' ? 2 : 0);
  if (toBoolean(value).length > 0) return [];
  const parts = value.split(/[,;\s]+(?=https?:\/\/)|[,;]\s+/i).map((part) => part.trim());
  return parts.every((part) => part !== '') ? [parts] : [];
}

/** A value as the one setting that a group must have, or that it has at all. */
function toGroup(value: unknown, { required = [], properties = {} }: Expectation): unknown[] {
  const [name, ...others] = required.length > 0 ? required : Object.keys(properties);
  return name === undefined || others.length > 0 || typeof value === 'object' ? [] : [{ [name]: value }];
}

const hasDigit = (value: unknown): boolean => /\p{Nd}/u.test(String(value));

/** An example beside a number that cannot be read would look like a reading of it. */
const unlessNumber = (value: unknown, examples: ReturnType<typeof example>) => (hasDigit(value) ? [] : [examples]);

function describeNumber(value: unknown, schema: Expectation): Fault {
  const { type, minimum, maximum } = schema;
  const examples = example(schema.examples?.slice(0, 1) ?? [minimum ?? 1]);
  if (typeof value === 'string') {
    const numbers = listDecimals(value.replace(/\s*%\s*$/, '')).map(Number);
    const says = numbers.length > 1 ? 'can be read in two ways' : 'is text, not a number';
    return { says, proposals: [write(numbers), ...unlessNumber(value, examples)] };
  }
  if (typeof value !== 'number') return { says: 'is not a number', proposals: [examples] };
  if (minimum !== undefined && value < minimum)
    return { says: 'is too small', proposals: [write([minimum], { after: ' or more' })] };
  if (maximum !== undefined && value > maximum)
    return { says: 'is too large', proposals: [write([maximum], { after: ' or less' })] };
  return type === 'integer'
    ? { says: 'is not a whole number', proposals: [write([Math.floor(value), Math.ceil(value)])] }
    : { says: 'is not valid', proposals: [examples] };
}

function describeMoney(value: unknown, examples: ReturnType<typeof example>): Fault {
  if (typeof value !== 'string' && typeof value !== 'number')
    return { says: 'is not an amount in TRY', proposals: [examples] };
  const text = String(value);
  const isTooLarge = /^\D*\d{10}/.test(text);
  const why = typeof value === 'number' ? 'is not an amount in TRY' : describeAmount(text);
  const says = isTooLarge ? 'is too large: at most 999,999,999 TRY' : why;
  return { says, proposals: [write(listReadings(text).map(writeTry)), ...unlessNumber(value, examples)] };
}

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/^(ms|msecs?|milliseconds?)$/i, 'ms'],
  [/^(s|secs?|seconds?|saniye)$/i, 's'],
  [/^(m|mins?|minutes?|dakika|dk)$/i, 'm'],
  [/^(h|hrs?|hours?|saat)$/i, 'h'],
  [/^(d|days?|gün)$/i, 'd'],
];

function describeDuration(value: unknown, examples: ReturnType<typeof example>): Fault {
  const [, digits = '', unit = ''] = /^\s*([\d.,]+)\s*([^\d\s]*)\s*$/.exec(String(value)) ?? [];
  const numbers = listDecimals(digits).map(Number);
  const known = UNITS.find(([word]) => word.test(unit))?.[1];
  const says = 'is not a duration';
  if (numbers.length > 0 && unit === '')
    return {
      says: 'has no unit',
      proposals: [write(['s', 'm', 'h', 'd'].flatMap((each) => numbers.map((number) => `${number}${each}`))), examples],
    };
  if (known !== undefined) return { says, proposals: [write(numbers.map((each) => `${each}${known}`)), examples] };
  if (/^(w|weeks?|hafta)$/i.test(unit))
    return { says, proposals: [write(numbers.map((each) => `${each * 7}d`)), examples] };
  return { says, proposals: [examples] };
}

function describePercent(value: unknown, examples: ReturnType<typeof example>): Fault {
  const numbers = listDecimals(String(value).replace('%', '')).map(Number);
  const says = 'is not a percentage';
  const [number] = numbers;
  if (number === undefined) return { says, proposals: [examples] };
  if (number > 100) return { says: 'is more than 100%', proposals: [write(['100%'], { after: ' or less' })] };
  if (number < 0) return { says: 'is less than 0%', proposals: [write(['0%'], { after: ' or more' })] };
  // 0.2 may be a share of one.
  const share = typeof value === 'number' && number > 0 && number <= 1 ? [Math.round(number * 10_000) / 100] : [];
  return { says, proposals: [write([...share, ...numbers].map((each) => `${each}%`)), examples] };
}

function describeAddress(value: string, examples: ReturnType<typeof example>): Fault {
  if (/^https?:\/\/[^/]*@/.test(value)) return { says: 'has a user name or password; leave them out of the address' };
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?(\/\S*)?$/i.test(value))
    return { says: 'is not a whole address', proposals: [write([`https://${value}`])] };
  return { says: 'is not an address', proposals: [examples] };
}

function describePath(value: string, examples: ReturnType<typeof example>): Fault {
  const { says, write: globs } = toGlobs(value);
  return { says, proposals: [write(globs), examples] };
}

const NO_NAME = 'is not a name: small letters, digits, "-" and "_"';

/** Letters that have no accent to take off. */
const LETTERS: Readonly<Record<string, string>> = {
  ı: 'i',
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  đ: 'd',
  ł: 'l',
  þ: 'th',
};

/** A name made of a text, letter by letter; empty where none of it can be one. */
export const toName = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[ıßøæœđłþ]/g, (letter) => LETTERS[letter] ?? letter)
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|[-_]+$/g, '')
    .slice(0, 63);

/** The message for a name that the reader has chosen. */
export function describeName(name: string): Fault {
  const meant = toName(name);
  return { says: `${show(name)} ${NO_NAME}`, proposals: [rename(meant === '' ? null : meant)] };
}

/** The message for a setting that does not exist. */
export function describeUnknown(name: string, known: readonly string[]): Fault {
  if (name === '<<')
    return {
      says: '"<<" (a merge key) is not supported; write the settings here, or for all watches under "defaults"',
    };
  const others = known.length > 0 ? `; valid settings: ${known.join(', ')}` : '';
  return {
    says: `unknown setting "${name}"`,
    proposals: [rename(findNearest(name, known))],
    otherwise: others,
  };
}
