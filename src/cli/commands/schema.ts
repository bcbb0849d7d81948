import { Command } from 'commander';
import { ConfigSchema } from '../../config/schema.ts';

/** Prints the JSON Schema of the configuration; `config/courier.schema.json` is this output, checked by a test. */
export function schemaCommand(): Command {
  return new Command('schema').description('print the JSON Schema of the configuration file').action(() => {
    process.stdout.write(schemaText());
  });
}

export function schemaText(): string {
  return `${JSON.stringify(ConfigSchema, null, 2)}\n`;
}
