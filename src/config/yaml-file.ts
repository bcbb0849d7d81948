import { type Document, isMap, isScalar, LineCounter, type Pair, parseDocument, visit, type YAMLError } from 'yaml';
import type { ConfigProblem } from './config-error.ts';
import type { ConfigText } from './files.ts';

export type Path = readonly string[];

/** Where a problem is shown: at the name of the setting or at its value. */
export type At = 'key' | 'value';

export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A configuration file as YAML, before its settings are checked. */
export interface YamlFile {
  readonly file: string;
  /** What the file says; undefined when it is not YAML. */
  readonly raw: unknown;
  readonly problems: readonly ConfigProblem[];
  /** The position of a setting; of what it is in, where it is not written. */
  locate(path: Path, at: At): Position;
}

export function parseYamlFile({ file, text }: ConfigText): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const toPosition = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const locate = (path: Path, at: At) => toPosition(findOffset(document, path, at));
  // Errors after the first one usually follow from it.
  const [error] = document.errors;
  if (error !== undefined) {
    const problem = { ...toPosition(error.pos[0]), path: '', message: describeSyntax(error, text) };
    return { file, raw: undefined, problems: [problem], locate };
  }
  const repeated = findRepeatedKeys(document, toPosition);
  if (document.contents === null) {
    const message = 'this file is empty. "courier init SITE" writes a first configuration';
    return { file, raw: undefined, problems: [{ file, line: 1, column: 1, path: '', message }], locate };
  }
  try {
    return { file, raw: document.toJS(), problems: repeated, locate };
  } catch (unresolved) {
    // A reference to an anchor that is not there: a value that begins with an asterisk and is not quoted.
    const message = describeAlias(unresolved as Error);
    const at = findAlias(document);
    return { file, raw: undefined, problems: [{ ...toPosition(at), path: '', message }], locate };
  }
}

function findOffset(document: Document, path: Path, at: At): number {
  for (let length = path.length; length > 0; length--) {
    const key = path[length - 1] as string;
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    if (isMap(parent)) {
      const pair = parent.items.findLast((each) => getKey(each) === key);
      const value = (pair?.value as Ranged | null | undefined)?.range?.[0];
      const isWritten = !(isScalar(pair?.value) && pair.value.value === null);
      const whole = at === 'value' && length === path.length && isWritten ? value : undefined;
      const offset = whole ?? (pair?.key as Ranged | undefined)?.range?.[0];
      if (offset !== undefined) return offset;
      continue;
    }
    const item = (document.getIn(path.slice(0, length), true) as Ranged | undefined)?.range?.[0];
    if (item !== undefined) return item;
  }
  return 0;
}

interface Ranged {
  readonly range?: readonly [number, number, number] | null;
}

const getKey = ({ key }: Pair): string => String(isScalar(key) ? key.value : key);

/** Of two values, the second would silently win. */
function findRepeatedKeys(document: Document, toPosition: (offset: number) => Position): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  visit(document, {
    Map(_, { items }) {
      const first = new Map<string, number>();
      for (const pair of items) {
        const key = getKey(pair);
        const offset = (pair.key as Ranged).range?.[0] ?? 0;
        const before = first.get(key);
        if (before === undefined) first.set(key, offset);
        else {
          const message = `"${key}" is written twice; the first is in line ${toPosition(before).line}. Remove one of them`;
          problems.push({ ...toPosition(offset), path: key, message });
        }
      }
    },
  });
  return problems;
}

const SYNTAX: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  TAB_AS_INDENT: 'a tab indents this line; YAML wants spaces',
  BAD_INDENT:
    'this line is indented differently from its neighbours; settings that belong together begin in one column',
  MISSING_CHAR: 'a quote, bracket or comma is missing before here',
  BAD_ALIAS: 'text that begins with "*" must be in quotes',
  BAD_SCALAR_START: 'text that begins with this character must be in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'this line has two settings; write each on a line of its own, or quote text that contains ": "',
  MULTIPLE_DOCS: 'the file has a second document ("---"); write one document a file',
};

function describeSyntax({ code, message, pos }: YAMLError, text: string): string {
  // The parser reports a tab as whatever it made of the line.
  const start = text.lastIndexOf('\n', pos[0] - 1) + 1;
  if (/^ *\t/.test(text.slice(start, pos[1]))) return SYNTAX.TAB_AS_INDENT ?? '';
  if (message.startsWith('Flow '))
    return message.includes('sequence')
      ? 'the list "[…" is not closed before this line; end it with "]"'
      : 'the group "{…" is not closed before this line; end it with "}"';
  const [line = '', next = ''] = text.slice(start).split('\n');
  if (code === 'BLOCK_AS_IMPLICIT_KEY' && getIndent(next) > getIndent(line)) return NEXT_LINE_INDENTED;
  const said = SYNTAX[code];
  return said ?? `this is not YAML: ${message.split(' at line')[0]?.replace(/\.$/, '')}`;
}

const getIndent = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;

const NEXT_LINE_INDENTED =
  'the next line is indented further than this one; settings that belong together begin in one column';

const describeAlias = ({ message }: Error): string => {
  const name = /: (\S+)/.exec(message)?.[1];
  return `text that begins with "*" must be in quotes${name === undefined ? '' : `: "*${name}"`}`;
};

function findAlias(document: Document): number {
  let at = 0;
  visit(document, {
    Alias(_, { range }) {
      at = range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return at;
}
