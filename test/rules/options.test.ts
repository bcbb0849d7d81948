import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Command, CommanderError } from 'commander';
import { createCourierService } from '../../service/cli/program.ts';
import { createCourier } from '../../src/cli/program.ts';
import type { Program } from '../../src/cli-kit/program.ts';

const PROGRAMS = { courier: createCourier, 'courier-service': createCourierService } as const;

/** Every command of a program, the inner ones too. */
async function listCommands({ command, load }: Program): Promise<Command[]> {
  const inner = (each: Command): Command[] => [each, ...each.commands.flatMap(inner)];
  const loaded = await Promise.all(command.commands.map((each) => load(each.name())));
  return loaded.flatMap((each) => (each === null ? [] : inner(each)));
}

/** What the parser says of arguments that it does not accept. */
async function refuse(program: Program, args: readonly string[]): Promise<string> {
  const said: string[] = [];
  const hush = (each: Command) => {
    each.configureOutput({ writeErr: (text) => void said.push(text), writeOut: () => undefined });
    each.commands.forEach(hush);
  };
  for (const name of program.command.commands.map((each) => each.name())) await program.load(name);
  hush(program.command);
  await assert.rejects(program.command.parseAsync(args, { from: 'user' }), CommanderError);
  return said.join('');
}

const pathOf = (command: Command): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];

for (const [name, create] of Object.entries(PROGRAMS)) {
  describe(`an option of ${name}`, () => {
    test('that is an amount refuses one that is read in two ways, with both', async () => {
      const amounts = (await listCommands(create())).flatMap((command) =>
        command.options.filter(({ flags }) => flags.includes('<amount>')).map((option) => ({ command, option })),
      );
      assert.ok(amounts.length > 0);
      for (const { command, option } of amounts) {
        const what = [...pathOf(command), option.long].join(' ');
        const { parseArg } = option;
        assert.ok(parseArg !== undefined, `${what} is read when the arguments are`);
        for (const text of ['1.500', '1,500 TRY', '1.500TL'])
          assert.throws(() => parseArg(text, undefined as never), /two amounts\. Write 1500TRY or 1\.50TRY\.$/, what);
        for (const instead of ['1500TRY', '1.50TRY', '0.375TRY'])
          assert.doesNotThrow(() => parseArg(instead, undefined as never), `${what} ${instead}`);
      }
    });

    test('that is misspelt is proposed only as one that there is', async () => {
      const commands = await listCommands(create());
      let proposed = 0;
      for (const command of commands) {
        for (const { long } of command.options) {
          if (long === null || long === undefined) continue;
          const said = await refuse(create(), [...pathOf(command), long.slice(0, -1)]);
          const [, instead] = /Did you mean (--[\w-]+)\?/.exec(said) ?? [];
          if (instead === undefined) continue;
          proposed++;
          const known = [...command.options, ...create().command.options].map((each) => each.long);
          assert.ok([...known, '--help', '--version'].includes(instead), `${pathOf(command).join(' ')}: ${said}`);
        }
      }
      assert.ok(proposed > 5, String(proposed));
    });
  });
}
