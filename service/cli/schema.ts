import type { Command } from 'commander';
import { buildOutputSchema } from '../../src/cli-kit/record-schema.ts';
import { SERVICE_OUTPUT } from './records.ts';

/** Prints a JSON Schema and nothing else. */
export function schemaCommand(command: Command): void {
  command.action(() => {
    process.stdout.write(`${JSON.stringify(buildOutputSchema('courier-service', SERVICE_OUTPUT), null, 2)}\n`);
  });
}
