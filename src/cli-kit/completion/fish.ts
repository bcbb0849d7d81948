import { type CommandNode, getNamed, groupByNamed, listNodes, type OptionNode } from '../command-tree.ts';

/** A completion script for fish: as that for bash, with descriptions. */
export function renderFishCompletion(program: string, root: CommandNode): string {
  const nodes = listNodes(root);
  const commands = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(path.join(' ')));
  const lines = nodes.flatMap((node) => [
    ...node.children.map((child) => renderCommand(program, node, child)),
    ...node.options.map((option) => renderOption(program, node, option)),
  ]);
  for (const [kind, those] of groupByNamed(nodes))
    for (const { path } of those) {
      const at = quote(`__${program}_at ${quote(path.join(' '))}`);
      lines.push(`complete -c ${program} -f -n ${at} -a '(__${program}_names ${kind})'`);
    }
  return `# Completion of ${program} for fish. Load it with: ${program} completion fish | source
set -g __${program}_commands ${commands.join(' ')}
function __${program}_at --description 'Whether these are the commands that were typed'
    set -l at
    for word in (commandline -opc)[2..-1]
        set -l next (string join -- ' ' $at $word)
        contains -- "$next" $__${program}_commands; and set at $next
    end
    test "$at" = "$argv[1]"
end
function __${program}_names --description 'What the configuration names'
    set -l words (commandline -opc)
    set -l at (contains -i -- --config $words)
    set -l config
    test -n "$at"; and set config --config $words[(math $at + 1)]
    ${program} $config completion --names $argv[1] 2>/dev/null
end
${lines.join('\n')}
complete -c ${program} -l help -d 'show help'
`;
}

const renderCommand = (program: string, { path }: CommandNode, child: CommandNode): string =>
  `complete -c ${program} -f -n ${quote(`__${program}_at ${quote(path.join(' '))}`)} -a ${quote(child.path.at(-1) ?? '')} ` +
  `-d ${quote(child.description)}`;

/** One of the program may follow any command. */
function renderOption(program: string, { path }: CommandNode, option: OptionNode): string {
  const at = path.length === 0 ? '' : ` -n ${quote(`__${program}_at ${quote(path.join(' '))}`)}`;
  const names = option.names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const named = getNamed(option.flags);
  const values = named === null ? '-r' : `-x -a '(__${program}_names ${named})'`;
  const choices = option.choices.length === 0 ? values : `-x -a ${quote(option.choices.join(' '))}`;
  const value = option.takesValue ? ` ${choices}` : '';
  return `complete -c ${program}${at} ${names.join(' ')}${value} -d ${quote(option.description)}`;
}

/** Within single quotes fish reads a backslash before a quote or a backslash only. */
const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
