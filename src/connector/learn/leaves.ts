import { isList, isObject, type Json } from '../../api-client/read/fields.ts';

export type Path = readonly (string | number)[];
export type Scalar = boolean | number | string;

export interface Leaf {
  readonly path: Path;
  readonly value: Scalar;
}

/** Answers are searched this deep and this far: a service may send anything. */
const MOST_DEPTH = 8;
const MOST_LEAVES = 2_000;
/** Entries of a list are alike: what the first ones have, the others have. */
const MOST_ENTRIES = 3;

/** Every value of an answer that holds no other, with its path. */
export function listLeaves(json: Json): Leaf[] {
  const found: Leaf[] = [];
  const visit = (value: Json, path: Path): void => {
    if (found.length >= MOST_LEAVES || path.length > MOST_DEPTH) return;
    if (isList(value)) for (const [at, each] of value.slice(0, MOST_ENTRIES).entries()) visit(each, [...path, at]);
    else if (isObject(value)) for (const [key, each] of Object.entries(value)) visit(each, [...path, key]);
    else if (value !== null) found.push({ path, value });
  };
  visit(json, []);
  return found;
}

/** The same answer with another value at a path. */
export function replaceAt(json: Json, [first, ...rest]: Path, value: Json): Json {
  if (first === undefined) return value;
  if (isList(json)) return json.map((each, at) => (at === first ? replaceAt(each, rest, value) : each));
  if (!isObject(json)) return json;
  return { ...json, [first]: replaceAt(json[first] ?? null, rest, value) };
}

/** The value at a path; undefined where there is none. */
export function getAt(json: Json | undefined, [first, ...rest]: Path): Json | undefined {
  if (first === undefined || json === undefined) return json;
  if (isList(json)) return getAt(json[Number(first)], rest);
  return isObject(json) ? getAt(json[first], rest) : undefined;
}

/** `data.submissions[0].reference`. */
export const formatPath = (path: Path): string =>
  path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('');
