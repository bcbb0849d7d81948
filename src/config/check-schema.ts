import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { describeMistake, describeName, describeUnknown, type Expectation, listExamples } from './expected.ts';
import { example, type Fault, write } from './fault.ts';
import { isSurelyValid } from './is-surely-valid.ts';
import { Account } from './schema/account.ts';
import { PATTERN } from './schema/values.ts';
import { Watch } from './schema/watch.ts';
import { ConfigSchema } from './schema.ts';
import { findNearest } from './suggest.ts';
import type { At, Path, Problem, YamlFile } from './yaml-file.ts';

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
  readonly fault: Fault;
  /** Whether the problems of the settings inside follow from it. */
  readonly covers?: boolean;
  /** Where it is shown, if not at `path`. */
  readonly shownAt?: Path;
  /** Whether another one says it. */
  readonly isSaid?: boolean;
}

export interface CheckedFile {
  /** What is right of the file: settings with a mistake are left out, so that what depends on them is not reported too. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
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
  const mistakes = isSettings(raw)
    ? [...findUnnamed(raw), ...findMisplaced(raw), ...listMistakes(validate.errors ?? [], raw)]
    : [NOT_SETTINGS];
  const isCovered = (mistake: Mistake) =>
    mistakes.some(
      (each) => each.covers === true && each !== mistake && each.path.every((key, at) => key === mistake.path[at]),
    );
  const problems = mistakes
    .filter((mistake) => mistake.isSaid !== true && !isCovered(mistake))
    .map(({ path, shownAt = path, at, fault }) => ({ ...locate(shownAt, at), path, at, fault }));
  const rest = structuredClone(raw);
  for (const { path } of mistakes) remove(rest, path);
  return { raw: isSettings(rest) ? rest : {}, problems, wrong: mistakes.map(({ path }) => path) };
}

const isSettings = (raw: unknown): raw is Record<string, unknown> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw);

const NOT_SETTINGS: Mistake = {
  path: [],
  at: 'value',
  fault: { says: 'this file is not a group of settings; it begins with version: 1 and has accounts and watches' },
};

/** Settings of one account or watch where its name should be: each of them would be reported as an account or a watch. */
function findUnnamed(raw: Readonly<Record<string, unknown>>): Mistake[] {
  const mistakes: Mistake[] = [];
  for (const [section, one, { properties }] of [
    ['accounts', 'an account', Account],
    ['watches', 'a watch', Watch],
  ] as const) {
    const { [section]: named } = raw;
    if (!isSettings(named)) continue;
    const isUnnamed = Object.entries(named).some(
      ([name, value]) => Object.hasOwn(properties, name) && !isSettings(value),
    );
    const isOther =
      section === 'accounts' && Object.entries(named).some(([name, value]) => isOfWatch(name) && !isSettings(value));
    if (!isUnnamed && isOther) {
      const says = `${section}: has settings of a watch; put them, indented, below a name that you choose in "watches:"`;
      mistakes.push({ path: [section], at: 'key', fault: { says }, covers: true });
    }
    if (!isUnnamed) continue;
    const says = `${section}: the settings of ${one} have no name; put them, indented, below a name that you choose, such as "${EXAMPLE_NAMES[section]}:"`;
    mistakes.push({ path: [section], at: 'key', fault: { says }, covers: true });
  }
  return mistakes;
}

const isOfWatch = (name: string): boolean => Object.hasOwn(Watch.properties, name);

/** Watches among the accounts or within a watch, and watches that would be merged: each of their settings would be reported as unknown. */
function findMisplaced({ accounts, watches }: Readonly<Record<string, unknown>>): Mistake[] {
  const among = isSettings(accounts) ? Object.entries(accounts).filter(([, value]) => isWatch(value)) : [];
  const holding = isSettings(watches)
    ? Object.entries(watches).filter(
        ([, value]) =>
          isSettings(value) && Object.entries(value).some(([name, inner]) => name !== '<<' && isWatch(inner)),
      )
    : [];
  const merging = isSettings(watches)
    ? Object.entries(watches).filter(([, value]) => isSettings(value) && '<<' in value)
    : [];
  return [
    ...merging.map(([name]): Mistake => {
      const path = ['watches', name];
      return {
        path,
        shownAt: [...path, '<<'],
        at: 'key',
        fault: within(path, describeUnknown('<<', [])),
        covers: true,
      };
    }),
    ...among.map(([name]): Mistake => {
      const says = `accounts: "${name}" has the settings of a watch; put it, indented, below "watches:"`;
      return { path: ['accounts', name], at: 'key', fault: { says }, covers: true };
    }),
    ...holding.map(([name]): Mistake => {
      const says = `watches: "${name}" has watches in it; each of them belongs directly below "watches:"`;
      return { path: ['watches', name], at: 'key', fault: { says }, covers: true };
    }),
  ];
}

const EXAMPLE_NAMES = { accounts: 'main', watches: 'shop' } as const;

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
function listMistakes(errors: readonly ErrorObject[], raw: CheckedFile['raw']): Mistake[] {
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
      if (!near) add({ path: [...path, missing], at: 'key', fault: describeMissing(error, path, missing, raw) });
      continue;
    }
    if (error.keyword === 'additionalProperties') {
      const name = String(error.params.additionalProperty);
      unknown.set(parent, [...(unknown.get(parent) ?? []), name]);
      add({ path: [...path, name], at: 'key', fault: describeUnknownKey(error, path, name) });
      continue;
    }
    add({ path, at: 'value', fault: within(path, describeValue(error, path)) });
  }
  return joinUnknown([...mistakes.values()], unknown);

  function add(mistake: Mistake): void {
    const key = mistake.path.join('\n');
    if (!mistakes.has(key)) mistakes.set(key, mistake);
  }
}

/** Several settings of a watch in a place that has none of them are one mistake. */
function joinUnknown(mistakes: readonly Mistake[], unknown: ReadonlyMap<string, readonly string[]>): Mistake[] {
  return mistakes.map((mistake) => {
    const parent = mistake.path.slice(0, -1);
    const names = (unknown.get(parent.join('.')) ?? []).filter(isOfWatch);
    if (names.length < 2 || !names.includes(mistake.path.at(-1) ?? '')) return mistake;
    if (mistake.path.at(-1) !== names[0]) return { ...mistake, isSaid: true };
    const listed = names.map((name) => `"${name}"`).join(', ');
    const says = `unknown settings ${listed}; they are of one watch: put them, indented, below its name in "watches"`;
    return { ...mistake, fault: within(parent, { says }) };
  });
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

/** A fault with the setting that it is in before it. */
const within = (path: Path, fault: Fault): Fault =>
  path.length === 0 ? fault : { ...fault, says: `${path.join('.')}: ${fault.says}` };

const NO_KEY_HERE: Fault = {
  says: 'do not put the key itself here; write { env: NAME }, with the name of an environment variable, or { file: PATH }',
};

const isBoth = (value: unknown): boolean => isSettings(value) && 'env' in value && 'file' in value;

/** Whether a setting takes a secret and no text. */
const isSecretOnly = ({ anyOf = [] }: Expectation): boolean =>
  anyOf.length > 0 && anyOf.every(({ properties = {} }) => 'env' in properties || 'file' in properties);

function describeValue(error: ErrorObject, path: Path): Fault {
  const schema = error.parentSchema as Expectation;
  if (isBoth(error.data)) return { says: 'has env and file; write one of them' };
  if (path.includes('api_key')) return NO_KEY_HERE;
  // A secret that was written here is not repeated.
  if (typeof error.data === 'string' && isSecretOnly(schema))
    return { says: 'do not put the secret itself here', proposals: [example(listExamples(schema))] };
  // The value may be the secret.
  if (schema.pattern === PATTERN.variable)
    return { says: 'this is not the name of an environment variable', proposals: [example(listExamples(schema))] };
  if (error.keyword === 'minItems')
    return { says: 'the list is empty', proposals: [example(listExamples(schema))], removable: true };
  return describeMistake(error.data, schema);
}

function describeMissing({ parentSchema }: ErrorObject, path: Path, missing: string, raw: CheckedFile['raw']): Fault {
  const schema = (parentSchema as Expectation).properties?.[missing] ?? {};
  const names =
    path[0] === 'watches' && missing === 'account' && isSettings(raw.accounts) ? Object.keys(raw.accounts) : [];
  const [first] = [...names, ...listExamples(schema)];
  const name = `${missing}: `;
  const values = first === undefined ? [] : [first];
  return within(path, {
    says: `"${missing}" is missing`,
    proposals: [schema.const !== undefined ? write(values, { name }) : example(values, name)],
  });
}

function describeUnknownKey(error: ErrorObject, path: Path, name: string): Fault {
  const { properties } = error.parentSchema as Expectation;
  // Accounts and watches have names that the reader chooses.
  if (properties === undefined) return within(path, describeName(name));
  const ofTop = path.length === 0 && !Object.hasOwn(properties, `${name}s`);
  if (isOfWatch(name) && (ofTop || path.at(-1) === 'defaults'))
    return within(path, {
      says: `unknown setting "${name}"; it is one of a watch: put it, indented, below its name in "watches"`,
    });
  if (isWatch((error.data as Record<string, unknown>)[name]))
    return within(path, {
      says: `unknown setting "${name}"; it has the settings of a watch: put it, indented, below "watches:"`,
    });
  return within(path, describeUnknown(name, path.at(-1) === 'api_key' ? ['env', 'file'] : Object.keys(properties)));
}

const isWatch = (value: unknown): boolean => isSettings(value) && ('sitemaps' in value || 'robots' in value);
