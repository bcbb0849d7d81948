import Ajv2020, { type ErrorObject } from 'ajv/dist/2020.js';
import { distance } from 'fastest-levenshtein';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { ConfigSchema, type RawConfig } from './schema.ts';

const ajv = new Ajv2020.default({ allErrors: true, verbose: true, strict: false });
const validate = ajv.compile<RawConfig>(ConfigSchema);

export interface Located {
  readonly raw: RawConfig;
  /** Line and column of a path such as `['watches', 'shop', 'account']`. */
  readonly locate: (path: readonly string[]) => { line: number; column: number };
}

/** Parses YAML against the schema. Throws ConfigError with the position of every mistake. */
export function parseConfig(text: string, file: string): Located {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  if (document.errors.length > 0) {
    throw new ConfigError(
      file,
      // Errors after the first one usually follow from it.
      document.errors.slice(0, 1).map((error) => ({
        path: '',
        line: error.linePos?.[0].line ?? 1,
        column: error.linePos?.[0].col ?? 1,
        message: error.message.split(' at line')[0] ?? error.message,
      })),
    );
  }
  const locate = (path: readonly string[]) => findPosition(document, lines, path);
  const raw: unknown = document.toJS();
  if (raw === null || raw === undefined) {
    throw new ConfigError(file, [{ path: '', line: 1, column: 1, message: 'the file is empty' }]);
  }
  if (!validate(raw)) throw new ConfigError(file, listProblems(validate.errors ?? [], locate));
  return { raw, locate };
}

function findPosition(
  document: Document,
  lines: LineCounter,
  path: readonly string[],
): { line: number; column: number } {
  for (let length = path.length; length > 0; length--) {
    const pair = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined;
    if (pair?.range !== undefined && pair.range !== null) {
      const { line, col } = lines.linePos(pair.range[0]);
      return { line, column: col };
    }
  }
  return { line: 1, column: 1 };
}

function listProblems(errors: readonly ErrorObject[], locate: Located['locate']): ConfigProblem[] {
  const problems = new Map<string, ConfigProblem>();
  for (const error of errors) {
    // Each branch of a union reports an error; the union's own line is enough.
    if (/\/anyOf\/\d/.test(error.schemaPath)) continue;
    const path = error.instancePath
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const unknown = error.keyword === 'additionalProperties' ? String(error.params.additionalProperty) : undefined;
    const full = unknown === undefined ? path : [...path, unknown];
    const problem = { path: full.join('.'), ...locate(full), message: sentence(error, full, unknown) };
    if (!problems.has(problem.path)) problems.set(problem.path, problem);
  }
  return [...problems.values()];
}

function sentence(error: ErrorObject, path: readonly string[], unknown: string | undefined): string {
  const where = path.join('.');
  if (unknown !== undefined) return `unknown setting "${unknown}"${suggestion(error, unknown)}`;
  if (path.includes('api_key')) {
    return `${where}: do not put the key itself here; write { env: NAME }, with the name of an environment variable, or { file: PATH }`;
  }
  if (error.keyword === 'required') {
    const missing = String(error.params.missingProperty);
    return `${where === '' ? '' : `${where}: `}"${missing}" is missing`;
  }
  const described = (error.parentSchema as { description?: string } | undefined)?.description;
  const allowed = error.keyword === 'enum' ? `: ${(error.params.allowedValues as string[]).join(', ')}` : '';
  const examples = (error.parentSchema as { examples?: unknown[] } | undefined)?.examples ?? [];
  const what = error.keyword === 'pattern' ? 'is not valid' : `${error.message}${allowed}`;
  const hint = examples.length === 0 ? described : `${described ?? ''} Write it as ${examples.map(show).join(' or ')}.`;
  return `${where}: ${show(error.data)} ${what}${hint === undefined ? '' : ` (${hint.trim()})`}`;
}

const LONGEST_SHOWN = 60;

/** A value from the file, shortened to fit in a line of output. */
function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

function suggestion(error: ErrorObject, unknown: string): string {
  const known = Object.keys((error.parentSchema as { properties?: object } | undefined)?.properties ?? {});
  const near = known.map((name) => [distance(name, unknown), name] as const).sort((a, b) => a[0] - b[0])[0];
  if (near !== undefined && near[0] <= 3) return `; did you mean "${near[1]}"?`;
  return known.length > 0 ? `; valid settings: ${known.join(', ')}` : '';
}
