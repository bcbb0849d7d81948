import { type CommandNode, getNamed, groupByNamed, listNodes, type OptionNode } from '../command-tree.ts';

/**
 * A completion script for bash: commands, subcommands, options, the values that an option allows and what the configuration
 * names; files where nothing of these fits.
 */
export function renderBashCompletion(program: string, root: CommandNode): string {
  const nodes = listNodes(root);
  const everywhere = root.options.flatMap(({ names }) => names);
  const commands = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(path.join(' ')));
  const values = renderValues(program, nodes);
  const words = nodes.map(({ path, children, options }) => {
    const own = [...children.map((child) => child.path.at(-1) ?? ''), ...options.flatMap(({ names }) => names)];
    return `    ${quote(path.join(' '))}) words=${quote([...new Set([...own, ...everywhere, '--help'])].join(' '))} ;;`;
  });
  const named = [...groupByNamed(nodes)].map(([kind, those]) => {
    const paths = those.map(({ path }) => quote(path.join(' ')));
    return `    ${paths.join('|')}) [[ $cur == -* ]] || words="$words $(_${program}_names ${kind})" ;;`;
  });
  return `# Completion of ${program} for bash. Load it with: eval "$(${program} completion)"
_${program}_names() {
  local i config=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == --config ]] && config=(--config "\${COMP_WORDS[i+1]}")
  done
  ${program} "\${config[@]}" completion --names "$1" 2>/dev/null
}
_${program}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= words= word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${path:+$path }\${COMP_WORDS[i]}"
    case "$word" in
      ${commands.join('|')}) path=$word ;;
    esac
  done
  COMPREPLY=()
  case "\${path:+$path }$prev" in
${values.join('\n')}
  esac
  case "$path" in
${words.join('\n')}
  esac
  case "$path" in
${named.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _${program} ${program}
`;
}

/** How an option of a command looks in the script; one of the program may follow any command. */
const toPatterns = (path: readonly string[], { names }: OptionNode): string[] =>
  names.flatMap((name) => {
    const own = quote([...path, name].join(' '));
    return path.length === 0 ? [own, `*${quote(` ${name}`)}`] : [own];
  });

/** What follows an option with a value: names, its choices, or files. */
function renderValues(program: string, nodes: readonly CommandNode[]): string[] {
  const valued = nodes.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).map((option) => ({ patterns: toPatterns(path, option), option })),
  );
  const isNamed = ({ option }: (typeof valued)[number]) => getNamed(option.flags) !== null;
  const files = valued
    .filter((each) => each.option.choices.length === 0 && !isNamed(each))
    .flatMap(({ patterns }) => patterns);
  const chosen = valued.filter(({ option }) => option.choices.length > 0);
  return [
    ...valued.filter(isNamed).map(({ patterns, option }) => {
      const names = `"$(_${program}_names ${getNamed(option.flags)})"`;
      return `    ${patterns.join('|')}) COMPREPLY=($(compgen -W ${names} -- "$cur")); return ;;`;
    }),
    ...(files.length === 0 ? [] : [`    ${files.join('|')}) return ;;`]),
    ...chosen.map(({ patterns, option }) => {
      const words = quote(option.choices.join(' '));
      return `    ${patterns.join('|')}) COMPREPLY=($(compgen -W ${words} -- "$cur")); return ;;`;
    }),
  ];
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
