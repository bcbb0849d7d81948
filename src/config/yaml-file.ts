import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  Scalar,
  visit,
  type YAMLError,
} from 'yaml';
import { isReadTwoWays } from '../../contract/money.ts';
import { type Fault, write } from './fault.ts';
import type { ConfigText } from './files.ts';

export type Path = readonly string[];

/** Where a problem is shown: at the name of the setting or at its value. */
export type At = 'key' | 'value';

/** An error stops everything; a warning is only shown. */
export type Level = 'error' | 'warning';

export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A fault with the setting that it is about. */
export interface Problem extends Position {
  readonly path: Path;
  readonly at: At;
  readonly fault: Fault;
  /** Absent: an error. */
  readonly level?: Level;
}

/** A configuration file as YAML, before its settings are checked. */
export interface YamlFile {
  readonly file: string;
  /** What the file says; undefined when it is not YAML. */
  readonly raw: unknown;
  readonly problems: readonly Problem[];
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
    const fault = { says: describeSyntax(error, text) };
    return { file, raw: undefined, problems: [{ ...toPosition(error.pos[0]), path: [], at: 'value', fault }], locate };
  }
  if (document.contents === null) {
    const fault = { says: 'this file is empty. "courier init SITE" writes a first configuration' };
    return { file, raw: undefined, problems: [{ file, line: 1, column: 1, path: [], at: 'value', fault }], locate };
  }
  joinNumbers(document, text);
  keepTwoWays(document);
  const problems = [...findRepeatedKeys(document, toPosition), ...quoteAsterisks(document, toPosition)];
  return { file, raw: document.toJS(), problems, locate };
}

/** Where a node begins and where what it says ends. */
const getRange = (node: unknown): readonly [number, number] | null => {
  const { range } = (node ?? {}) as Ranged;
  return range === null || range === undefined ? null : [range[0], range[1]];
};

/**
 * In braces, YAML reads a comma in a number as the end of the setting: `{ per_day: 1,500 TRY }` is 1 and a setting "500 TRY".
 * Puts such numbers together again as text, so that messages about them show what was written.
 */
function joinNumbers(document: Document, text: string): void {
  visit(document, {
    Map(_, map) {
      if (map.flow !== true) return;
      for (let at = 1; at < map.items.length; ) {
        const [before, pair] = [map.items[at - 1], map.items[at]] as [Pair, Pair];
        const [number, rest] = [getRange(before.value), getRange(pair.key)];
        const isRest = pair.value === null || (isScalar(pair.value) && pair.value.value === null);
        const joined = number === null || rest === null || !isRest ? '' : text.slice(number[0], rest[1]);
        if (number === null || rest === null || !/^\d[\d.,]*,\d[\d.]*( *(\p{L}+|₺))?$/u.test(joined)) at++;
        else {
          const value = new Scalar(joined);
          value.range = [number[0], rest[1], rest[1]];
          before.value = value;
          map.items.splice(at, 1);
        }
      }
    },
  });
}

/** A number that two countries read differently stays text: YAML reads 1.500 as 1.5, and nobody could tell any more. */
function keepTwoWays(document: Document): void {
  visit(document, {
    Scalar(key, node) {
      if (key !== 'key' && typeof node.value === 'number' && isReadTwoWays((node.source ?? '').replace(/^\+/, '')))
        node.value = node.source;
    },
  });
}

/** A reference to an anchor that is not there is a value that begins with an asterisk and is not quoted: it becomes that text. */
function quoteAsterisks(document: Document, toPosition: (offset: number) => Position): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Alias(_, alias, ancestors) {
      if (alias.resolve(document) !== undefined) return;
      const value = `*${alias.source}`;
      const says = 'text that begins with "*" must be in quotes';
      const path = toPath([...ancestors, alias]);
      const position = toPosition(alias.range?.[0] ?? 0);
      // The message for a merge key says enough.
      if (path.at(-1) !== '<<')
        problems.push({ ...position, path, at: 'value', fault: { says, proposals: [write([value])] } });
      const text = new Scalar(value);
      if (alias.range !== undefined) text.range = alias.range;
      return text;
    },
  });
  return problems;
}

/** The names and numbers on the way to the last of these nodes. */
function toPath(nodes: readonly unknown[]): string[] {
  return nodes.flatMap((node, at) => {
    if (isPair(node)) return [getKey(node)];
    return isSeq(node) ? [String(node.items.indexOf(nodes[at + 1]))] : [];
  });
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
function findRepeatedKeys(document: Document, toPosition: (offset: number) => Position): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Map(_, { items }) {
      const first = new Map<string, number>();
      for (const pair of items) {
        const key = getKey(pair);
        const offset = (pair.key as Ranged).range?.[0] ?? 0;
        const before = first.get(key);
        if (before === undefined) first.set(key, offset);
        else {
          const says = `"${key}" is written twice; the first is in line ${toPosition(before).line}. Remove one of them`;
          problems.push({ ...toPosition(offset), path: [key], at: 'key', fault: { says } });
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
