import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { renderCommands, renderJsonOutput, renderPages, toPagePath } from '../../bin/write-reference.ts';
import { createCourierService } from '../../service/cli/program.ts';
import { SERVICE_OUTPUT } from '../../service/cli/records.ts';
import { CLI_OUTPUT } from '../../src/cli/output/records/index.ts';
import { createCourier } from '../../src/cli/program.ts';
import type { Program } from '../../src/cli-kit/program.ts';
import { type CommandOutput, defineSummary, getRecordName } from '../../src/cli-kit/record-schema.ts';

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

/** The paths of all fields of a record, as the page writes them. */
function listPaths(schema: Field, prefix = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = field.anyOf?.find(({ type }) => type !== 'null') ?? field;
    const path = `${prefix}${name}`;
    return [path, ...listPaths(inner, `${path}.`), ...listPaths(inner.items ?? {}, `${path}[].`)];
  });
}

describe('the page of the commands', () => {
  test('names every argument and option in the section of its command', async () => {
    const sections = (await renderCommands()).split(/^##+ /m);
    for (const [program] of PROGRAMS) {
      for (const name of await listCommands(program)) {
        const path = `${program.command.name()} ${name}`;
        const section = sections.find((each) => each.startsWith(`${path}\n`)) ?? '';
        const [first = '', second] = name.split(' ');
        const loaded = await program.load(first);
        const command = loaded?.commands.find((each) => each.name() === second) ?? loaded;
        for (const { flags, hidden } of command?.options ?? [])
          assert.ok(hidden || section.includes(`\`${flags}\``), `${path}: ${flags}`);
        for (const argument of command?.registeredArguments ?? [])
          assert.match(section, new RegExp(`[<[]${argument.name()}`), `${path}: ${argument.name()}`);
      }
    }
  });
});

describe('the page of the machine output', () => {
  const [, courier = '', service = ''] = renderJsonOutput().split(/^## courier.*$/m);
  const shared =
    renderJsonOutput()
      .split(/^##+ /m)
      .find((section) => section.startsWith('Shared fields')) ?? '';

  test('names every field in the section of its record, and explains it there or among the shared ones', () => {
    for (const [part, output] of [
      [courier, CLI_OUTPUT],
      [service, SERVICE_OUTPUT],
    ] as const) {
      for (const record of Object.values(output).flatMap(({ records }) => records)) {
        const name = getRecordName(record);
        const section = part.split(/^##+ /m).find((each) => each.startsWith(`${name}\n`)) ?? '';
        for (const path of listPaths(record as Field).filter((each) => each !== 'type')) {
          assert.ok(section.includes(`\`${path}\``), `${name}: ${path}`);
          const leaf = path.split('.').at(-1) ?? '';
          const isExplained = section
            .split('\n')
            .some((line) => line.startsWith(`\`${path}\``) && line.includes(' | '));
          assert.ok(isExplained || shared.includes(`\n\`${leaf}\``), `${name}: ${path} is explained nowhere`);
        }
      }
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
