import type { Edit } from '../edit.ts';
import type { SqlWorld } from './mutate-sql.ts';
import type { Schema } from './schema.ts';
import type { Token } from './tokens.ts';

const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
};
const AGGREGATES: Readonly<Record<string, string>> = { MIN: 'max', MAX: 'min', SUM: 'max' };
const LIST_ENDS = new Set(['FROM', 'WHERE', 'RETURNING', 'LIMIT', 'GROUP', 'ON', 'UNION']);

/** Comparisons, columns, literals, numbers, order, limits, functions and assignments. */
export function mutateTerms(text: string, tokens: readonly Token[], world: SqlWorld): Edit[] {
  const at = tokens[0]?.start ?? 0;
  const make = (operator: string, start: number, end: number, after: string): Edit => ({
    operator: `sql-${operator}`,
    start,
    end,
    after,
    at,
  });
  return tokens.flatMap((token, n) => {
    const { kind, start, end } = token;
    if (kind === 'operator') {
      if (token.text in COMPARISONS)
        return COMPARISONS[token.text]!.map((after) => make('comparison', start, end, after));
      return mutateArithmetic(tokens, n).map((after) => make('arithmetic', start, end, after));
    }
    if (kind === 'number') {
      if (isWord(tokens[n - 1], 'SELECT') || isPartOfTruth(tokens, n)) return [];
      // The first of some is also the first of two.
      if (isWord(tokens[n - 1], 'LIMIT') && token.text === '1') return [];
      const value = Number(token.text);
      return [value + 1, value - 1].map((after) => make('number', start, end, String(after)));
    }
    if (kind === 'string') return mutateState(tokens, n, world).map((after) => make('state', start, end, after));
    if (kind !== 'word') return [];
    const next = tokens[n + 1];
    if (token.text in AGGREGATES && next?.text === '(') return [make('aggregate', start, end, AGGREGATES[token.text]!)];
    switch (token.text) {
      case 'COALESCE':
        return listArguments(tokens, n + 1).map((part) =>
          make('coalesce', start, closeOf(tokens, n + 1), cut(text, part)),
        );
      case 'DISTINCT':
        return isWord(next, 'FROM') ? [] : [make('distinct', start, end, '')];
      case 'LEFT':
        return isWord(next, 'JOIN') ? [make('join', start, end, '')] : [];
      case 'ORDER':
        return isWord(next, 'BY') ? mutateOrder(text, tokens, n + 2, make) : [];
      case 'LIMIT':
        return next?.kind === 'hole' ? [make('limit', start, next.end, '')] : [];
      case 'SET':
        return dropAssignments(tokens, n, make);
      default:
        return swapColumn(text, tokens, n, world.schema, make);
    }
  });
}

type Make = (operator: string, start: number, end: number, after: string) => Edit;

const isWord = (token: Token | undefined, text: string): boolean => token?.kind === 'word' && token.text === text;

const cut = (text: string, part: readonly Token[]): string => text.slice(part[0]!.start, part.at(-1)!.end);

/** `1 = 1` is how a template says "always". */
function isPartOfTruth(tokens: readonly Token[], n: number): boolean {
  const other = (m: number) => tokens[m]?.kind === 'number';
  return (tokens[n + 1]?.text === '=' && other(n + 2)) || (tokens[n - 1]?.text === '=' && other(n - 2));
}

/** Between two terms; a plus before a column only keeps an index from being used. */
function mutateArithmetic(tokens: readonly Token[], n: number): string[] {
  const before = tokens[n - 1];
  const isTerm =
    before !== undefined &&
    (before.kind === 'hole' || before.kind === 'number' || before.text === ')' || isName(before)) &&
    tokens[n + 1]?.text !== ')';
  const swapped = { '+': '-', '-': '+', '*': '+', '/': '*', '%': '*' }[tokens[n]!.text];
  return isTerm && swapped !== undefined ? [swapped] : [];
}

const KEYWORDS = new Set([
  'AND',
  'OR',
  'WHERE',
  'SELECT',
  'ON',
  'THEN',
  'ELSE',
  'WHEN',
  'BY',
  'SET',
  'NOT',
  'IN',
  'DISTINCT',
]);
const isName = ({ kind, text }: Token): boolean => kind === 'word' && !KEYWORDS.has(text);

/** The tokens of each argument of a function whose parenthesis is at `open`. */
function listArguments(tokens: readonly Token[], open: number): Token[][] {
  if (tokens[open]?.text !== '(') return [];
  const { depth } = tokens[open]!;
  const parts: Token[][] = [[]];
  for (const token of tokens.slice(open + 1)) {
    if (token.text === ')' && token.depth === depth) break;
    if (token.text === ',' && token.depth === depth + 1) parts.push([]);
    else parts.at(-1)!.push(token);
  }
  return parts.filter((part) => part.length > 0);
}

function closeOf(tokens: readonly Token[], open: number): number {
  const { depth } = tokens[open]!;
  return tokens.slice(open + 1).find((token) => token.text === ')' && token.depth === depth)!.end;
}

/** Another literal of the same column; of several in a list, also none of this one. */
function mutateState(tokens: readonly Token[], n: number, { states }: SqlWorld): string[] {
  const own = tokens[n]!.text;
  const column = findColumnOf(tokens, n);
  const known = [...(states.get(column ?? '') ?? [])].toSorted();
  const other = known[(known.indexOf(own) + 1) % Math.max(1, known.length)];
  const isListed = [tokens[n - 1], tokens[n + 1]].some((each) => each?.text === ',');
  return [...(other === undefined || other === own ? [] : [other]), ...(isListed ? ["''"] : [])];
}

/** The column that a literal is compared with or written to: `state IN ('a', 'b')`, `state = 'a'`. */
export function findColumnOf(tokens: readonly Token[], n: number): string | null {
  for (let m = n - 1; m >= 0; m -= 1) {
    const { kind, text } = tokens[m]!;
    if (kind === 'string' || text === ',' || text === '(' || text === '=' || text === '<>') continue;
    if (kind === 'word' && (text === 'IN' || text === 'NOT' || text === 'THEN')) continue;
    return kind === 'word' ? text.toLowerCase() : null;
  }
  return null;
}

/** Each key of an ORDER BY in the other direction. */
function mutateOrder(text: string, tokens: readonly Token[], from: number, make: Make): Edit[] {
  const depth = tokens[from]?.depth ?? 0;
  const edits: Edit[] = [];
  let part: Token[] = [];
  const flush = () => {
    const last = part.at(-1);
    if (last !== undefined) {
      const { start, end } = last;
      if (isWord(last, 'DESC')) edits.push(make('order', start, end, ''));
      else if (isWord(last, 'ASC')) edits.push(make('order', start, end, 'DESC'));
      else edits.push(make('order', start, end, `${text.slice(start, end)} DESC`));
    }
    part = [];
  };
  for (const token of tokens.slice(from)) {
    const isEnd = token.kind === 'word' && (LIST_ENDS.has(token.text) || token.text === 'NULLS');
    if (token.depth < depth || (token.depth === depth && isEnd)) break;
    if (token.depth === depth && token.text === ',') flush();
    else part.push(token);
  }
  flush();
  return edits;
}

/** Each of several assignments left out. */
function dropAssignments(tokens: readonly Token[], set: number, make: Make): Edit[] {
  const { depth } = tokens[set]!;
  const parts: Token[][] = [[]];
  for (const token of tokens.slice(set + 1)) {
    if (token.depth < depth || (token.depth === depth && token.kind === 'word' && LIST_ENDS.has(token.text))) break;
    if (token.depth === depth && token.text === ',') parts.push([]);
    else parts.at(-1)!.push(token);
  }
  if (parts.length < 2 || parts.some((part) => part.length === 0)) return [];
  return parts.map((part, n) =>
    n === 0
      ? make('assignment', part[0]!.start, parts[1]![0]!.start, '')
      : make('assignment', parts[n - 1]!.at(-1)!.end, part.at(-1)!.end, ''),
  );
}

/** A column becomes the one of the same table and type whose name is nearest. */
function swapColumn(text: string, tokens: readonly Token[], n: number, schema: Schema, make: Make): Edit[] {
  const { start, end, text: upper } = tokens[n]!;
  const name = upper.toLowerCase();
  const before = tokens[n - 1];
  const isQualified = before?.text === '.';
  if (tokens[n + 1]?.text === '.' || tokens[n + 1]?.text === '(' || isWord(before, 'AS') || isListOfColumns(tokens, n))
    return [];
  const tables = listTables(tokens, schema);
  const owner = isQualified
    ? tables.get(tokens[n - 2]?.text.toLowerCase() ?? '')
    : [...tables.values()].find((table) => schema.get(table)?.has(name));
  const columns = schema.get(owner ?? '');
  const type = columns?.get(name);
  if (columns === undefined || type === undefined) return [];
  const siblings = [...columns].filter(([other, its]) => other !== name && its === type).map(([other]) => other);
  const nearest = siblings.toSorted((a, b) => likeness(name, b) - likeness(name, a) || (a < b ? -1 : 1))[0];
  if (nearest === undefined) return [];
  const after = isSelected(tokens, n) ? `${nearest} AS ${text.slice(start, end)}` : nearest;
  return [make('column', start, end, after)];
}

/** By the words that two names share. */
function likeness(a: string, b: string): number {
  const words = new Set(a.split('_'));
  return b.split('_').filter((word) => words.has(word)).length;
}

/** Tables of the statement by their names and aliases. */
function listTables(tokens: readonly Token[], schema: Schema): Map<string, string> {
  const tables = new Map<string, string>();
  tokens.forEach((token, n) => {
    const name = token.text.toLowerCase();
    if (token.kind !== 'word' || !schema.has(name) || tokens[n + 1]?.text === '.') return;
    tables.set(name, name);
    const alias = isWord(tokens[n + 1], 'AS') ? tokens[n + 2] : undefined;
    if (alias?.kind === 'word') tables.set(alias.text.toLowerCase(), name);
  });
  return tables;
}

/** In `INSERT INTO t (…)` and `ON CONFLICT (…)`: another column there is an error, or the same. Also the left of an assignment. */
function isListOfColumns(tokens: readonly Token[], n: number): boolean {
  const { depth } = tokens[n]!;
  for (let m = n - 1; m >= 0; m -= 1) {
    const token = tokens[m]!;
    if (token.depth >= depth) continue;
    return isWord(tokens[m - 1], 'CONFLICT') || isWord(tokens[m - 2], 'INTO');
  }
  return false;
}

/** Whether it is a result by its own name. */
function isSelected(tokens: readonly Token[], n: number): boolean {
  const next = tokens[n + 1];
  if (next !== undefined && next.text !== ',' && !isWord(next, 'FROM')) return false;
  const { depth } = tokens[n]!;
  for (let m = n - 1; m >= 0; m -= 1) {
    const token = tokens[m]!;
    if (token.depth < depth) return false;
    if (token.depth > depth || token.kind !== 'word') continue;
    if (token.text === 'SELECT' || token.text === 'RETURNING') return true;
    if (['FROM', 'WHERE', 'BY', 'ON', 'SET', 'AND', 'OR'].includes(token.text)) return false;
  }
  return false;
}
