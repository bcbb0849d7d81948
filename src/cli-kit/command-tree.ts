import type { Command, Option } from 'commander';
import type { Program } from './program.ts';

/** A command as its definition says it: what help, completion and the man page are made from. */
export interface CommandNode {
  /** Without the name of the program; empty for the program itself. */
  readonly path: readonly string[];
  readonly description: string;
  /** `<watch>`, `[watch...]`. */
  readonly args: readonly { readonly usage: string; readonly description: string }[];
  readonly options: readonly OptionNode[];
  readonly children: readonly CommandNode[];
}

export interface OptionNode {
  /** As help shows it: `-o, --out <file>`. */
  readonly flags: string;
  /** `-o` and `--out`. */
  readonly names: readonly string[];
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  readonly description: string;
}

/** What the configuration names, and completion offers: by the word that stands for it in arguments and options. */
const NAMED = { watch: 'watches', account: 'accounts', channel: 'channels' } as const;
export type Named = (typeof NAMED)[keyof typeof NAMED];

/** What `<watch>`, `[watch...]` or `--watch <watch>` stands for; null for what nobody has named. */
export function getNamed(usage: string): Named | null {
  const [, word = ''] = /[<[]([a-z]+)(?:\.\.\.)?[>\]]/.exec(usage) ?? [];
  return word in NAMED ? NAMED[word as keyof typeof NAMED] : null;
}

/** What the arguments of a command stand for, by kind. */
export const groupByNamed = (nodes: readonly CommandNode[]): ReadonlyMap<Named, readonly CommandNode[]> =>
  new Map(
    Object.values(NAMED)
      .map((named) => [named, nodes.filter(({ args }) => args.some(({ usage }) => getNamed(usage) === named))] as const)
      .filter(([, found]) => found.length > 0),
  );

/** Loads every command of a program. */
export async function readCommandTree({ command, load }: Program): Promise<CommandNode> {
  const children: CommandNode[] = [];
  for (const name of command.commands.map((each) => each.name())) {
    const loaded = await load(name);
    if (loaded !== null) children.push(toNode(loaded, [name]));
  }
  return { ...toNode(command, []), children };
}

const toNode = (command: Command, path: readonly string[]): CommandNode => ({
  path,
  description: command.description(),
  args: command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return { usage: argument.required ? `<${name}>` : `[${name}]`, description: argument.description };
  }),
  options: command.options.filter(({ hidden }) => !hidden).map(toOption),
  children: command.commands.map((child) => toNode(child, [...path, child.name()])),
});

const toOption = ({ flags, short, long, required, optional, argChoices, description }: Option): OptionNode => ({
  flags,
  names: [short, long].filter((name) => name !== undefined),
  takesValue: required || optional,
  choices: argChoices ?? [],
  description,
});

/** Every command below a node, itself included. */
export const listNodes = (node: CommandNode): CommandNode[] => [node, ...node.children.flatMap(listNodes)];
