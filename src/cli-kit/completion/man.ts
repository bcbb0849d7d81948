import { type CommandNode, listNodes, type OptionNode } from '../command-tree.ts';

export interface ManPage {
  readonly program: string;
  readonly version: string;
  readonly exitCodes: readonly (readonly [code: string, meaning: string])[];
}

/** The man page of a program in section 1, as roff. */
export function renderManPage({ program, version, exitCodes }: ManPage, root: CommandNode): string {
  const leaves = listNodes(root).filter(({ path, children }) => path.length > 0 && children.length === 0);
  const lines = [
    `.TH ${program.toUpperCase()} 1 "" "sitemap-courier ${version}" "User Commands"`,
    '.SH NAME',
    `${toRoff(program)} \\- ${toRoff(root.description.replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    `.B ${toRoff(program)}`,
    '.I command',
    '[\\fIoptions\\fR]',
    '.SH OPTIONS',
    'Every command takes these.',
    ...root.options.flatMap(renderOption),
    '.SH COMMANDS',
    ...leaves.flatMap((node) => renderCommand(program, node)),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, toRoff(meaning)]),
    '.SH SEE ALSO',
    'The pages in docs of the package: guides, reference and explanation.',
  ];
  return `${lines.join('\n')}\n`;
}

function renderCommand(program: string, { path, description, args, options }: CommandNode): string[] {
  const usage = [program, ...path].join(' ');
  const given = args.map((arg) => ` \\fI${toRoff(arg.usage)}\\fR`).join('');
  return [
    `.SS \\fB${toRoff(usage)}\\fR${given}`,
    `${toRoff(description)}.`,
    ...args.flatMap((arg) => ['.TP', `\\fI${toRoff(arg.usage)}\\fR`, toRoff(arg.description)]),
    ...options.flatMap(renderOption),
  ];
}

const renderOption = ({ flags, description, choices }: OptionNode): string[] => [
  '.TP',
  `\\fB${toRoff(flags)}\\fR`,
  `${toRoff(description)}${choices.length === 0 ? '' : toRoff(` (one of ${choices.join(', ')})`)}`,
];

/** A line of roff must not begin with a dot or an apostrophe, a minus is not a hyphen, and its text is ASCII. */
const toRoff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('\n', ' ')
    .replaceAll(/[^\p{ASCII}]/gu, (character) => `\\[u${toCode(character)}]`)
    .replace(/^([.'])/, '\\&$1');

const toCode = (character: string): string =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
