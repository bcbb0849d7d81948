import type { Command } from 'commander';
import { EXIT } from '../../cli-kit/exit-codes.ts';
import { buildOutputSchema } from '../../cli-kit/record-schema.ts';
import { loadConfig } from '../../config/load.ts';
import { ConfigSchema } from '../../config/schema.ts';
import { action } from '../output/command.ts';
import { formatCounted } from '../output/format.ts';
import { CLI_OUTPUT } from '../output/records/index.ts';

export function validateCommand(command: Command): void {
  command.action(
    action(async (output, { config: file }) => {
      const { accounts, watches } = loadConfig(file);
      output.print(
        `${file} is valid: ${formatCounted(accounts.size, 'account')}, ${formatCounted(watches.size, 'watch', 'watches')}.`,
      );
      return { exitCode: EXIT.done, summary: { accounts: accounts.size, watches: watches.size } };
    }),
  );
}

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
