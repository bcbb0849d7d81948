import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { listPages, root } from '../support/pages.ts';

/** Commands with their options and subcommands, from the generated page, which another test holds to the programs. */
function listCommands(): ReadonlyMap<string, ReadonlySet<string>> {
  const page = readFileSync(join(root, 'docs/reference/commands.md'), 'utf8');
  const commands = new Map<string, ReadonlySet<string>>();
  for (const section of page.split(/^##+ /m).slice(1)) {
    const name = section.slice(0, section.indexOf('\n')).trim();
    commands.set(name, new Set([...section.matchAll(/--[a-z][a-z-]*|(?<=[ `])-[a-zA-Z]\b/g)].map(([flag]) => flag)));
  }
  return commands;
}

const commands = listCommands();
/** Whether it is a command, or has subcommands. */
const isCommand = (name: string): boolean =>
  [...commands.keys()].some((each) => each === name || each.startsWith(`${name} `));
const EVERYWHERE = new Set(['--help', '-h', '--version']);

/** Lines of shell and inline code that call one of the programs, without what surrounds the call. */
function listCalls(text: string): string[] {
  const blocks = [...text.matchAll(/```(?:sh|bash|shell|ini|text)?\n([\s\S]*?)```/g)].flatMap(([, code]) =>
    (code ?? '').replace(/\\\n/g, ' ').split('\n'),
  );
  const inline = [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`]+)`/g)].map(([, code]) =>
    (code ?? '').replaceAll('\n', ' '),
  );
  return [...blocks, ...inline].flatMap((line) => {
    // There it is the name of a user, an image or a namespace.
    if (/^(install|docker build|kubectl)\b/.test(line)) return [];
    const call = /(?:^|[\s=])(?:npm run -s )?(courier(?:-service)?)(?: --)? ((?:[a-z-]|--?[a-z])[^#|;&`]*)/.exec(line);
    return call === null ? [] : [`${call[1]} ${call[2]}`.trim()];
  });
}

/** In a text of the code, up to what is put in: `"courier batches list --state needs_review"`. */
const SUGGESTED =
  // What the service says of itself is no call.
  /(?:["'`]|: )(courier(?:-service)? (?!listens |has )[a-z-][^"'`$,;.)(\n]*)/g;

/** What a call names that does not exist; null when all of it does. */
function findMistake(call: string): string | null {
  const words = call.split(/\s+/);
  const program = words[0] ?? '';
  let name = program;
  let rest = words.slice(1);
  while (rest[0] !== undefined && isCommand(`${name} ${rest[0]}`)) {
    name = `${name} ${rest[0]}`;
    rest = rest.slice(1);
  }
  const isParent = [...commands.keys()].some((each) => each.startsWith(`${name} `));
  const next = rest.find((word) => !word.startsWith('-'));
  if (name === program && next !== undefined && /^[a-z-]+$/.test(next)) return `no command "${next}"`;
  if (isParent && name !== program && next !== undefined && /^[a-z-]+$/.test(next)) return `no subcommand "${next}"`;
  const flags = rest
    .map((word) => /^(--[a-z-]+|-[a-zA-Z])(?==|$)/.exec(word)?.[1])
    .filter((flag) => flag !== undefined);
  const known = (flag: string) =>
    EVERYWHERE.has(flag) || commands.get(name)?.has(flag) === true || commands.get(program)?.has(flag) === true;
  const unknown = flags.find((flag) => !known(flag));
  return unknown === undefined ? null : `no option "${unknown}" of ${name}`;
}

describe('commands in the documents', () => {
  test('every command, subcommand and option exists', () => {
    assert.ok(commands.size > 30, 'no commands found: this test would prove nothing');
    const pages = listPages().filter((page) => !/CHANGELOG\.md$|reference\/(commands|json-output)\.md$/.test(page));
    const calls = pages.flatMap((page) =>
      listCalls(readFileSync(page, 'utf8')).map((call) => ({ page: relative(root, page), call })),
    );
    assert.ok(calls.length > 30, 'no calls found: this test would prove nothing');
    assert.deepEqual(
      calls.flatMap(({ page, call }) => {
        const mistake = findMistake(call);
        return mistake === null ? [] : [`${page}: ${call}: ${mistake}`];
      }),
      [],
    );
  });

  test('every command, subcommand and option that a message suggests exists', () => {
    const files = ['src', 'service', 'workflows', 'activities'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    );
    const calls = files
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .flatMap((name) =>
        [...readFileSync(join(root, name), 'utf8').matchAll(SUGGESTED)].map(([, call = '']) => ({
          name,
          call: call.trim(),
        })),
      );
    assert.ok(calls.length > 100, `${calls.length} calls found: this test would prove nothing`);
    assert.deepEqual(
      calls.flatMap(({ name, call }) => {
        const mistake = findMistake(call);
        return mistake === null ? [] : [`${name}: ${call}: ${mistake}`];
      }),
      [],
    );
  });

  test('every npm script exists', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const missing = listPages().flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/npm run (?:-s )?([a-z][a-z:-]*)/g)].flatMap(([, script]) =>
        script !== undefined && Object.hasOwn(scripts, script) ? [] : [`${relative(root, page)}: npm run ${script}`],
      ),
    );
    assert.deepEqual(missing, []);
  });

  test('a command or option that does not exist would be seen', () => {
    assert.equal(findMistake('courier submissions reconcile 3'), 'no subcommand "reconcile"');
    assert.equal(findMistake('courier settle 3'), 'no command "settle"');
    assert.equal(findMistake('courier run --give-up 15m'), 'no option "--give-up" of courier run');
    assert.equal(findMistake('courier run shop --once --wait'), null);
  });
});
