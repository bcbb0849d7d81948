/** JSON as it came: nothing about its shape is known. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** A payload that no sense can be made of, with what was seen: "whose data names another job". */
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
 * The fields of an object by plain name: `url_count`, `urlCount` and `url-count` are one name to us, `urlcount`.
 * The specification leaves most names open, and services write them in their own manner.
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

export const normalizeName = (name: string): string => name.replace(/[-_\s]/g, '').toLowerCase();

/** The first of these fields that `read` makes sense of. */
export function readFirst<T>(
  fields: ReadonlyMap<string, Json>,
  names: readonly string[],
  read: (value: Json) => T | null,
): T | null {
  for (const name of names) {
    const value = fields.get(name);
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

/** A state or a verdict in the service's own word: short, and without what a terminal or a page would obey. */
export const asWord = (value: Json): string | null => shown(value, LONGEST_WORD);

/** A reason or a message, as people are shown it. */
export const asSentence = (value: Json): string | null => shown(value, LONGEST_SENTENCE);

function shown(value: Json, longest: number): string | null {
  const text = asText(
    typeof value === 'string' ? value.slice(0, 4 * longest).replace(/[\p{Cc}\p{Cf}]+/gu, ' ') : value,
  );
  return text !== null && text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** A whole number that is not negative, also as text. */
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
