import { type Command, Option } from 'commander';
import { buildOutputSchema } from '../../cli-kit/record-schema.ts';
import { ConfigPartSchema, ConfigSchema } from '../../config/schema.ts';
import { CLI_OUTPUT } from '../output/records/index.ts';

/** Prints a schema and nothing else: `config/courier.schema.json` is this output, checked by a test. */
export function schemaCommand(command: Command): void {
  command
    .addOption(
      new Option('--output', 'print the JSON Schemas of the machine output (--json) instead').conflicts('part'),
    )
    .option('--part', 'print the schema of one of several files, as in courier.d: nothing is required')
    .action(({ output = false, part = false }: { output?: boolean; part?: boolean }) => {
      if (output) process.stdout.write(formatSchema(buildOutputSchema('courier', CLI_OUTPUT)));
      else process.stdout.write(part ? partSchemaText() : schemaText());
    });
}

export function schemaText(): string {
  return formatSchema(ConfigSchema);
}

export function partSchemaText(): string {
  return formatSchema(ConfigPartSchema);
}

const formatSchema = (schema: object): string => `${JSON.stringify(schema, null, 2)}\n`;
