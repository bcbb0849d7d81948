import { writeFileSync } from 'node:fs';
import { listSettings, type SettingSchema } from './schema.ts';

/*
 * docs/reference/service-configuration.md, made from the schema. Run this file to regenerate the page; a test fails
 * while it differs.
 */
export const REFERENCE_FILE = new URL('../../../docs/reference/service-configuration.md', import.meta.url);

const INTRODUCTION = `# Configuration of the service

Every setting of \`courier-service serve\`, generated from its schema by \`npm run docs:config\`. Do not edit this page.
What they mean together: [host the service](../guides/host-the-service.md).

- \`--config FILE\` (or \`COURIER_SERVICE_CONFIG\`) names a YAML file. A dot in the table is one level of the file.
- The environment variable of a setting is \`COURIER_SERVICE_\` and its name in capitals, with \`_\` for dots:
  \`COURIER_SERVICE_PORT\`, \`COURIER_SERVICE_TLS_CERT_FILE\`. It wins over the file, an option of the command over both. An empty
  one counts as not set; a list is separated by commas.
- Durations are milliseconds.
- A setting that does not exist, and a value that does not fit, end the command with exit code 2. An unknown variable that begins
  with \`COURIER_SERVICE_\` is reported at the start.
- Temporal's own variables (\`TEMPORAL_ADDRESS\`, \`TEMPORAL_NAMESPACE\`, \`TEMPORAL_API_KEY\`, \`TEMPORAL_TLS…\`,
  \`TEMPORAL_PROFILE\`) decide where \`temporal.address\` is not set.

`;

/** The expected content of the page in docs/reference. */
export function renderReference(): string {
  const rows = listSettings().map(({ key, schema }) => [
    `\`${key}\` ${describeType(schema)}`,
    schema.default === undefined ? '' : `\`${String(Array.isArray(schema.default) ? '[]' : schema.default)}\``,
    schema.description ?? '',
  ]);
  const lines = rows.map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | '));
  return `${INTRODUCTION}setting|default|what it does\n---|---|---\n${lines.join('\n')}\n`;
}

function describeType({ enum: values, type }: SettingSchema): string {
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ');
  return type === 'array' ? 'list' : type === 'string' ? 'text' : (type ?? 'text');
}

if (import.meta.main) writeFileSync(REFERENCE_FILE, renderReference());
