/** Parsed JSON of unknown shape. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** A payload that cannot be interpreted, with the reason: "whose data names another job". */
export class InvalidPayload {
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/**
 * An object's fields by normalized name: `url_count`, `urlCount` and `url-count` all become `urlcount`. The
 * specification leaves most names open, and services differ in how they write them.
 */
export function indexFields(value: Json | undefined): ReadonlyMap<string, Json> {
  const fields = new Map<string, Json>();
  if (!isObject(value)) return fields;
  for (const [key, field] of Object.entries(value)) {
    const plain = normalizeName(key);
    if (!fields.has(plain)) fields.set(plain, field);
  }
  return fields;
}

export function normalizeName(name: string): string {
  const known = normalized.get(name);
  if (known !== undefined) return known;
  const plain = name.replace(/[-_\s]/g, '').toLowerCase();
  if (normalized.size < MOST_NAMES) normalized.set(name, plain);
  return plain;
}

/** A service has a few dozen names and repeats them in each record. It may invent others: they take no memory. */
const normalized = new Map<string, string>();
const MOST_NAMES = 1_000;

/** A field by its normalized name, or by a path of them: `account.funds`. */
export function getField(fields: ReadonlyMap<string, Json>, name: string): Json | undefined {
  const value = fields.get(name);
  if (value !== undefined || !name.includes('.')) return value;
  const [first = '', ...rest] = name.split('.');
  return getField(indexFields(fields.get(first)), rest.join('.'));
}

/** The first of these fields for which `read` returns a value. */
export function readFirst<T>(
  fields: ReadonlyMap<string, Json>,
  names: readonly string[],
  read: (value: Json) => T | null,
): T | null {
  for (const name of names) {
    const value = getField(fields, name);
    const result = value === undefined ? null : read(value);
    if (result !== null) return result;
  }
  return null;
}

export const asText = (value: Json): string | null => {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim();
  return typeof value === 'number' ? String(value) : null;
};

const LONGEST_WORD = 80;
const LONGEST_SENTENCE = 300;

/** A state or verdict as the service names it: short, and without characters that a terminal or a page would interpret. */
export const asWord = (value: Json): string | null => shown(value, LONGEST_WORD);

/** A reason or a message, shortened for display. */
export const asSentence = (value: Json): string | null => shown(value, LONGEST_SENTENCE);

function shown(value: Json, longest: number): string | null {
  const text = asText(
    typeof value === 'string' ? value.slice(0, 4 * longest).replace(/[\p{Cc}\p{Cf}]+/gu, ' ') : value,
  );
  return text !== null && text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** A non-negative integer, also as a string. */
export function asCount(value: Json): number | null {
  const number = typeof value === 'string' && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

export function asFlag(value: Json): boolean | null {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === '1' || value === 'true') return true;
  if (value === 0 || value === '0' || value === 'false') return false;
  return null;
}
