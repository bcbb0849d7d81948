import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { ConfigProblem } from './config-error.ts';
import { describeMistake, describeUnknown, type Expectation, exampleFor } from './expected.ts';
import { isSurelyValid } from './is-surely-valid.ts';
import { PATTERN } from './schema/values.ts';
import { ConfigSchema } from './schema.ts';
import { findNearest } from './suggest.ts';
import type { At, Path, YamlFile } from './yaml-file.ts';

/** One of several files may have watches only: what the whole must have is checked when they are put together. */
const SCHEMA = { ...ConfigSchema, required: [] };

/** The schema is compiled once, for one file: what ajv does to make many checks fast costs more than it saves. */
const ONCE = { meta: false, validateSchema: false, messages: false, code: { optimize: false } } as const;

/** Loaded for a file with a mistake only: ajv and the compiled schema cost more time than a small command has. */
function compileSchema(): ValidateFunction {
  const require = createRequire(import.meta.url);
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  return new Ajv2020({ allErrors: true, verbose: true, strict: false, ...ONCE }).compile(SCHEMA);
}

let compiled: ValidateFunction | undefined;

interface Mistake {
  readonly path: Path;
  readonly at: At;
  readonly message: string;
}

export interface CheckedFile {
  /** What is right of the file: settings with a mistake are left out, so that what depends on them is not reported too. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly problems: readonly ConfigProblem[];
  /** The settings that have a mistake. */
  readonly wrong: readonly Path[];
}

/** Checks a file against the schema. */
export function checkSchema({ raw, locate }: YamlFile): CheckedFile {
  const right = { raw: raw as CheckedFile['raw'], problems: [], wrong: [] };
  if (isSurelyValid(SCHEMA, raw)) return right;
  compiled ??= compileSchema();
  const validate = compiled;
  if (validate(raw)) return right;
  const mistakes = isSettings(raw) ? listMistakes(validate.errors ?? []) : [NOT_SETTINGS];
  const problems = mistakes.map(({ path, at, message }) => ({ ...locate(path, at), path: path.join('.'), message }));
  const rest = structuredClone(raw);
  for (const { path } of mistakes) remove(rest, path);
  return { raw: isSettings(rest) ? rest : {}, problems, wrong: mistakes.map(({ path }) => path) };
}

const isSettings = (raw: unknown): raw is Record<string, unknown> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw);

const NOT_SETTINGS: Mistake = {
  path: [],
  at: 'value',
  message: 'this file is not a group of settings; it begins with version: 1 and has accounts and watches',
};

function remove(tree: unknown, path: Path): void {
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], tree);
  const key = path.at(-1);
  if (key === undefined || typeof parent !== 'object' || parent === null) return;
  // The places of the other entries of a list stay what they are in the file.
  if (Array.isArray(parent)) parent[Number(key)] = null;
  else delete (parent as Record<string, unknown>)[key];
}

/** One for each mistake: of what the validator says of one value, what is nearest to it. */
function listMistakes(errors: readonly ErrorObject[]): Mistake[] {
  const mistakes = new Map<string, Mistake>();
  const unknown = new Map<string, string[]>();
  for (const error of errors.toSorted((a, b) => rank(a) - rank(b))) {
    const path = toPath(error.instancePath);
    if (isBranch(error) && !isDecisive(error, errors)) continue;
    // The union says it, unless a part of the value says it better.
    if (
      error.keyword === 'anyOf' &&
      errors.some((each) => isBranch(each) && isDecisive(each, errors) && isWithin(each, error))
    )
      continue;
    const parent = path.join('.');
    if (error.keyword === 'required') {
      const missing = String(error.params.missingProperty);
      const near = (unknown.get(parent) ?? []).some((name) => findNearest(name, [missing]) !== null);
      if (!near) add({ path: [...path, missing], at: 'key', message: describeMissing(error, path, missing) });
      continue;
    }
    if (error.keyword === 'additionalProperties') {
      const name = String(error.params.additionalProperty);
      unknown.set(parent, [...(unknown.get(parent) ?? []), name]);
      add({ path: [...path, name], at: 'key', message: describeUnknownKey(error, path, name) });
      continue;
    }
    add({ path, at: 'value', message: `${parent}: ${describeValue(error, path)}` });
  }
  return [...mistakes.values()];

  function add(mistake: Mistake): void {
    const key = mistake.path.join('\n');
    if (!mistakes.has(key)) mistakes.set(key, mistake);
  }
}

/** Unknown settings first: a misspelt one explains why another is missing. */
const rank = ({ keyword }: ErrorObject): number =>
  keyword === 'additionalProperties' ? 0 : keyword === 'required' ? 2 : 1;

const isBranch = ({ schemaPath }: ErrorObject): boolean => /\/anyOf\/\d/.test(schemaPath);

const isWithin = (inner: ErrorObject, outer: ErrorObject): boolean =>
  inner.instancePath === outer.instancePath || inner.instancePath.startsWith(`${outer.instancePath}/`);

/** Whether an error of a branch of a union is about a part of the value, so that the branch is the one that was meant. */
function isDecisive(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  const union = errors.find((each) => each.keyword === 'anyOf' && isWithin(error, each));
  if (union === undefined) return true;
  if (error.instancePath !== union.instancePath) return true;
  if (error.keyword !== 'additionalProperties') return false;
  // Unknown in every branch that is a group of settings.
  const name = error.params.additionalProperty;
  const groups = (union.schema as readonly Expectation[]).filter(({ type }) => type === 'object').length;
  const said = errors.filter(
    (each) =>
      each.keyword === 'additionalProperties' &&
      each.instancePath === error.instancePath &&
      each.params.additionalProperty === name,
  );
  return said.length === groups;
}

const toPath = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

const NO_KEY_HERE =
  'do not put the key itself here; write { env: NAME }, with the name of an environment variable, or { file: PATH }';

function describeValue(error: ErrorObject, path: Path): string {
  if (path.includes('api_key')) return NO_KEY_HERE;
  const schema = error.parentSchema as Expectation;
  // The value may be the secret.
  if (schema.pattern === PATTERN.variable)
    return `this is not the name of an environment variable; write ${exampleFor(schema)}`;
  if (error.keyword === 'minItems') return `the list is empty; write ${exampleFor(schema)}, or remove the setting`;
  return describeMistake(error.data, schema);
}

function describeMissing(error: ErrorObject, path: Path, missing: string): string {
  const schema = (error.parentSchema as Expectation).properties?.[missing] ?? {};
  return `${path.join('.')}: "${missing}" is missing; write ${missing}: ${exampleFor({ ...schema, examples: schema.examples?.slice(0, 1) ?? [] })}`;
}

function describeUnknownKey(error: ErrorObject, path: Path, name: string): string {
  const { properties } = error.parentSchema as Expectation;
  // Accounts and watches have names that the reader chooses.
  if (properties === undefined) return `${path.join('.')}: ${describeMistake(name, NAMED)}`;
  const known = path.at(-1) === 'api_key' ? ['env', 'file'] : Object.keys(properties);
  return `${path.length === 0 ? '' : `${path.join('.')}: `}${describeUnknown(name, known)}`;
}

const NAMED: Expectation = { type: 'string', pattern: PATTERN.name };
