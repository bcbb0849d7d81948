import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { renderPages, toPagePath } from '../../bin/write-reference.ts';
import { createCourierService } from '../../service/cli/program.ts';
import { SERVICE_OUTPUT } from '../../service/cli/records.ts';
import { CLI_OUTPUT } from '../../src/cli/output/records/index.ts';
import { createCourier } from '../../src/cli/program.ts';
import type { Program } from '../../src/cli-kit/program.ts';
import { type CommandOutput, defineSummary } from '../../src/cli-kit/record-schema.ts';

const PROGRAMS: readonly (readonly [Program, Readonly<Record<string, CommandOutput>>])[] = [
  [createCourier(), CLI_OUTPUT],
  [createCourierService(), SERVICE_OUTPUT],
];

/** The commands of a program that do something, by their words. */
async function listCommands({ command, load }: Program): Promise<string[]> {
  const found: string[] = [];
  for (const name of command.commands.map((each) => each.name())) {
    const inner = (await load(name))?.commands ?? [];
    found.push(...(inner.length === 0 ? [name] : inner.map((each) => `${name} ${each.name()}`)));
  }
  return found.filter((name) => !['help', 'schema', 'completion'].includes(name));
}

interface Field {
  readonly type?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly description?: string;
  readonly anyOf?: readonly Field[];
  readonly items?: Field;
  readonly properties?: Readonly<Record<string, Field>>;
}

/** Every field of a schema with its name, those of its groups and lists included. */
function listFields(schema: Field): [string, Field][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = field.anyOf?.find(({ type }) => type !== 'null') ?? field;
    return [
      [name, { ...field, ...inner, description: field.description ?? '' }] as [string, Field],
      ...listFields(inner),
      ...listFields(inner.items ?? {}),
    ];
  });
}

describe('the reference pages of the programs', () => {
  test('are what the programs say of themselves', async () => {
    for (const [page, text] of await renderPages()) {
      const path = toPagePath(page);
      assert.equal(existsSync(path) ? readFileSync(path, 'utf8') : '', text, `run: npm run docs:cli (${page})`);
    }
  });
});

describe('the published machine output', () => {
  test('is published for every command, and for no other', async () => {
    for (const [program, output] of PROGRAMS)
      assert.deepEqual((await listCommands(program)).toSorted(), Object.keys(output).toSorted());
  });

  test('names every field in snake_case, describes it, and says its unit', () => {
    for (const [, output] of PROGRAMS) {
      for (const [command, { records, summary }] of Object.entries(output)) {
        for (const schema of [...records, defineSummary(summary)]) {
          for (const [name, { type, format, description, minimum }] of listFields(schema as Field)) {
            const where = `${command}: ${name}`;
            assert.match(name, /^[a-z]+(_[a-z]+)*$/, where);
            if (name !== 'type') assert.ok((description ?? '') !== '', `${where} has no description`);
            if (format === 'date-time') assert.match(name, /(_at|^at|^from|^to|_since)$/, where);
            // Only counts have a minimum: an integer that may be below zero is an amount.
            if (type === 'integer' && minimum === undefined && name !== 'exit_code')
              assert.match(name, /_micros$/, where);
          }
        }
      }
    }
  });
});
