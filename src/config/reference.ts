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
the same texts with the first line \`# yaml-language-server: $schema=./config/courier.schema.json\` (\`courier schema\` prints
the schema); [config/courier.example.yaml](../../config/courier.example.yaml) is a complete file.

- \`version: 1\` is required at the top.
- \`defaults\` takes every setting of a watch from \`service\` to \`index_check\`; a watch's own setting wins.
- Durations are written as \`250ms\`, \`30s\`, \`15m\`, \`6h\` or \`3d\`; amounts as \`50 TRY\` or \`0.25 TRY\`.
- An amount that two countries read differently is refused: \`1.500 TRY\` is 1500 in Turkey and 1.50 in Britain. A price below a
  kuruş is \`0.375 TRY\`; above one lira it has four decimals: \`1.3750 TRY\`.
- Relative paths (secret files, sitemaps, the ledger) are relative to the configuration file.
- Every command rejects an unknown setting or an invalid value with exit code 2 and its line and column; all mistakes are
  reported at once. \`courier validate\` also reads every secret and local sitemap.
- \`courier config show\` prints every setting in force, without secrets, with the file and line that it comes from;
  amounts in one form: \`500.00 TRY\`.

## Several files

The files \`courier.d/*.yaml\` beside \`courier.yaml\` belong to it, and \`--config FOLDER\` names a folder of files: together they
are one configuration, read in the order of their names. \`accounts\` and \`watches\` may be in several of them, each name in one;
\`defaults\` and the sections after it are in one file. A name that two files have is a mistake, reported with both places.
In an editor, the files of \`courier.d\` have a schema of their own, \`config/courier-part.schema.json\`, in which nothing is
required.

Relative paths start at the folder of \`courier.yaml\`, in files of \`courier.d\` too.

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
      example: setting.examples === undefined ? '' : setting.examples.map(code).join(' or '),
      description: setting.description ?? '',
    };
    const named = namedEntry(setting);
    const inner = setting.properties === undefined ? [] : listRows(setting, `${key}.`);
    return [own, ...inner, ...(named?.properties === undefined ? [] : listRows(named, `${key}.NAME.`))];
  });
}

function describeType(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(describeType))].join(' or ');
  if (schema.type === 'array') return `list of ${describeType(schema.items ?? {})}`;
  if (schema.type === 'object') return schema.patternProperties === undefined ? 'settings' : 'map';
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

function table(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const cells = [`\`${row.key}\``, row.type, row.default, row.example, row.description];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| key | type | default | example | what it does |', '| --- | --- | --- | --- | --- |', ...lines, ''].join(
    '\n',
  );
}

if (import.meta.main) writeFileSync(REFERENCE_FILE, configReference());
