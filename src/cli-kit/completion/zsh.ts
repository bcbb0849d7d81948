import { type CommandNode, getNamed, groupByNamed, listNodes, type OptionNode } from '../command-tree.ts';

/** A completion script for zsh: as that for bash, with descriptions. */
export function renderZshCompletion(program: string, root: CommandNode): string {
  const nodes = listNodes(root);
  const commands = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(path.join(' ')));
  const named = [...groupByNamed(nodes)].map(([kind, those]) => {
    const paths = those.map(({ path }) => quote(path.join(' ')));
    return `  elif [[ "$at" == (${paths.join('|')}) ]]; then\n    _${program}_names ${kind}`;
  });
  return `#compdef ${program}
# Completion of ${program} for zsh. Load it with: source <(${program} completion zsh)
_${program}_names() {
  local i
  local -a config names
  for ((i = 2; i < CURRENT; i++)); do
    [[ "\${words[i]}" == --config ]] && config=(--config "\${words[i+1]}")
  done
  names=(\${(f)"$(${program} "\${config[@]}" completion --names "$1" 2>/dev/null)"})
  if (( \${#names} > 0 )); then compadd -- "\${names[@]}"; fi
}
_${program}() {
  local at= word i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    word="\${at:+$at }\${words[i]}"
    case "$word" in
      ${commands.join('|')}) at=$word ;;
    esac
  done
  case "\${at:+$at }\${words[CURRENT-1]}" in
${renderValues(program, nodes).join('\n')}
  esac
  case "$at" in
${nodes.map((node) => renderWords(node, root.options)).join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe -o option options
  elif (( \${#commands} > 0 )); then
    _describe command commands
${named.join('\n')}
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _${program} ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`;
}

function renderWords({ path, children, options }: CommandNode, everywhere: readonly OptionNode[]): string {
  const commands = children.map((child) => describe(child.path.at(-1) ?? '', child.description));
  const all = [...options, ...(path.length === 0 ? [] : everywhere)];
  const words = all.flatMap(({ names, description }) => names.map((name) => describe(name, description)));
  const help = describe('--help', 'show help');
  return `    ${quote(path.join(' '))}) commands=(${commands.join(' ')}) options=(${[...words, help].join(' ')}) ;;`;
}

/** `name:description`, as _describe reads it. */
const describe = (name: string, description: string): string => quote(`${name.replaceAll(':', '\\:')}:${description}`);

function renderValues(program: string, nodes: readonly CommandNode[]): string[] {
  return nodes.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ flags, names, choices }) => {
        // An option of the program may follow any command.
        const patterns = names.flatMap((name) => {
          const own = quote([...path, name].join(' '));
          return path.length === 0 ? [own, `*${quote(` ${name}`)}`] : [own];
        });
        const named = getNamed(flags);
        const files = named === null ? '_files' : `_${program}_names ${named}`;
        const values = choices.length === 0 ? files : `compadd -- ${choices.map(quote).join(' ')}`;
        return `    ${patterns.join('|')}) ${values}; return ;;`;
      }),
  );
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
