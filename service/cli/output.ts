import { readFileSync } from 'node:fs';

export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** Flags that every command has. */
export interface Flags {
  readonly json?: boolean;
}

/** stdout: lines for people, or with --json one record a line. */
export interface Output {
  print(line: string): void;
  record(record: { readonly type: string } & Record<string, unknown>): void;
}

export function openOutput({ json = false }: Flags): Output {
  return {
    print: (line) => {
      if (!json) process.stdout.write(`${line}\n`);
    },
    record: (record) => {
      if (json) process.stdout.write(`${JSON.stringify(record)}\n`);
    },
  };
}

export const versionRecord = { type: 'version', schema: 1, program: 'courier-service', version: VERSION } as const;
