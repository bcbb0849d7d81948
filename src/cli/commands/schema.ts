import type { Command } from 'commander';
import { buildOutputSchema } from '../../cli-kit/record-schema.ts';
import { ConfigSchema } from '../../config/schema.ts';
import { CLI_OUTPUT } from '../output/records/index.ts';

/** Prints a schema and nothing else: `config/courier.schema.json` is this output, checked by a test. */
export function schemaCommand(command: Command): void {
  command
    .option('--output', 'print the JSON Schemas of the machine output (--json) instead')
    .action(({ output = false }: { output?: boolean }) => {
      process.stdout.write(output ? formatSchema(buildOutputSchema('courier', CLI_OUTPUT)) : schemaText());
    });
}

export function schemaText(): string {
  return formatSchema(ConfigSchema);
}

const formatSchema = (schema: object): string => `${JSON.stringify(schema, null, 2)}\n`;
