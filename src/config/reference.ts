import { writeFileSync } from 'node:fs';
import { ConfigSchema } from './schema.ts';

/*
 * The configuration reference, made from the schema. Run this file to regenerate docs/reference/configuration.md; a test
 * fails while the page differs.
 */

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
}

interface Row {
  readonly key: string;
  readonly type: string;
  readonly default: string;
  readonly example: string;
  readonly description: string;
}

export const REFERENCE_FILE = new URL('../../docs/reference/configuration.md', import.meta.url);

const SECTIONS = [
  ['accounts.NAME', 'Accounts', 'accounts'],
  ['watches.NAME', 'Watches', 'watches'],
  ['temporal', 'Temporal', 'temporal'],
  ['worker', 'Worker', 'worker'],
  ['ledger', 'Ledger', 'ledger'],
  ['admin', 'Metrics and health', 'admin'],
  ['notify', 'Notifications', 'notify'],
  ['report', 'Report', 'report'],
  ['retention', 'Retention', 'retention'],
] as const;

/** The expected content of the page in docs/reference. */
export function configReference(): string {
  const root = ConfigSchema as unknown as Schema;
  const sections = SECTIONS.map(([prefix, title, name]) => {
    const section = root.properties?.[name];
    const inner = namedEntry(section) ?? section ?? {};
    const about = section?.description === undefined ? '' : `${section.description}\n\n`;
    return `## ${title}\n\n\`${prefix}\`. ${about}${table(listRows(inner, ''))}`;
  });
  return `${INTRODUCTION}${sections.join('\n')}`;
}

const INTRODUCTION = `# Configuration reference

Every setting of \`courier.yaml\`, generated from its schema by \`npm run docs:config\`. Do not edit this page. Editors show
the same texts with the first line \`# yaml-language-server: $schema=./config/courier.schema.json\` (\`courier schema\`);
[config/courier.example.yaml](../../config/courier.example.yaml) is a complete file.

- \`version: 1\` is required at the top. A setting without a type is a group of those below it.
- \`defaults\` takes every setting of a watch from \`service\` to \`index_check\`; a watch's own setting wins.
- Durations: \`250ms\`, \`30s\`, \`15m\`, \`6h\`, \`3d\`. Amounts: \`50 TRY\`, \`0.25 TRY\`, \`0.375 TRY\`, \`1.3750 TRY\`;
  \`1.500 TRY\` is refused, because two countries read it differently.
- Secrets: \`{ env: NAME }\` or \`{ file: PATH }\`. Percentages: \`10%\`. Days and months are those of UTC.
- Paths are relative to the configuration file.
- A mistake ends every command with exit code 2; all are reported at once, with line and column. \`courier validate\` also reads
  every secret and local sitemap; \`courier config show\` prints what is in force, and where it comes from.

## Several files

\`courier.d/*.yaml\` beside \`courier.yaml\`, or the files of \`--config FOLDER\`, are one configuration, read in the order of their names.
\`accounts\` and \`watches\` may be in several, each name in one; \`defaults\` and the other sections are in one file. Paths start at the
folder of \`courier.yaml\`. The schema of such a file is \`config/courier-part.schema.json\`.

`;

/** The entries of `accounts` and `watches` have user-defined names. */
function namedEntry(schema: Schema | undefined): Schema | undefined {
  const [entry] = Object.values(schema?.patternProperties ?? {});
  return entry;
}

function listRows(schema: Schema, prefix: string): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, setting]) => {
    const key = `${prefix}${name}`;
    const required = schema.required?.includes(name) === true;
    const own: Row = {
      key,
      type: describeType(setting),
      default: required ? 'required' : setting.default === undefined ? '' : code(setting.default),
      example: isExplained(setting) ? '' : (setting.examples ?? []).map(code).join(' or '),
      description: (setting.description ?? '').replace(SECRET, '').trim(),
    };
    const named = namedEntry(setting);
    const inner = setting.properties === undefined ? [] : listRows(setting, `${key}.`);
    return [own, ...inner, ...(named?.properties === undefined ? [] : listRows(named, `${key}.NAME.`))];
  });
}

/** The introduction shows how such values are written, or the default does. */
function isExplained(schema: Schema): boolean {
  const type = describeType(schema);
  const isPlain = ['boolean', 'integer', 'number', 'duration', 'percent', 'amount'].includes(type);
  return isPlain || schema.examples?.some((each) => inline(each) === inline(schema.default)) === true;
}

/** Every secret is written in the same two ways. */
const SECRET = 'Source of the secret, never the secret itself: { env: NAME } or { file: PATH }.';
const isSecret = (schema: Schema): boolean => schema.description?.includes(SECRET) === true;

function describeType(schema: Schema): string {
  if (isSecret(schema)) return 'secret';
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.map(describeType).filter((each) => each !== ''))].join(' or ');
  if (schema.type === 'array') return `list of ${describeType(schema.items ?? {})}`;
  if (schema.type === 'object') return schema.patternProperties === undefined ? '' : 'map';
  if (schema.pattern?.includes('TRY') === true) return 'amount';
  if (schema.pattern?.includes('(ms|s|m|h|d)') === true) return 'duration';
  if (schema.pattern?.includes('%') === true) return 'percent';
  return schema.type ?? 'text';
}

/** A value as YAML, on one line. */
function code(value: unknown): string {
  return `\`${inline(value)}\``;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'string' && (value === '' || /^[*%@"]|[#,[\]{}]|\* /.test(value))
      ? `"${value}"`
      : String(value);
  }
  const entries = Object.entries(value).map(([name, inner]) => `${name}: ${inline(inner)}`);
  return `{ ${entries.join(', ')} }`;
}

/** A table of many short rows, without the bars at both ends. */
function table(rows: readonly Row[]): string {
  const lines = rows.map(({ key, type, default: fallback, description, example }) => {
    const meaning = [description, example === '' ? '' : `(${example})`].join(' ').trim();
    return [`\`${key}\` ${type}`.trim(), fallback, meaning].map((cell) => cell.replaceAll('|', '\\|')).join(' | ');
  });
  return ['setting|default|what it does', '---|---|---', ...lines, ''].join('\n');
}

if (import.meta.main) writeFileSync(REFERENCE_FILE, configReference());
