import type { Edit } from '../edit.ts';
import type { Token } from './tokens.ts';

const BEGINS = new Set(['WHERE', 'ON', 'HAVING', 'WHEN']);
const ENDS = new Set([
  ...[
    'WHERE',
    'GROUP',
    'ORDER',
    'LIMIT',
    'RETURNING',
    'UNION',
    'SET',
    'JOIN',
    'LEFT',
    'CROSS',
    'INNER',
    'THEN',
    'ELSE',
  ],
  ...['END', 'DO', 'SELECT', 'FROM', 'HAVING', 'EXCEPT', 'INTERSECT'],
]);
const STATEMENTS = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'WITH', 'FROM', 'JOIN', 'LEFT', 'ORDER', 'LIMIT']);
const SHOWS_PREDICATE = new Set([
  'AND',
  'OR',
  'IS',
  'IN',
  'EXISTS',
  'NOT',
  'LIKE',
  'BETWEEN',
  '<',
  '>',
  '<=',
  '>=',
  '<>',
]);

const isWord = (token: Token | undefined, text: string): boolean => token?.kind === 'word' && token.text === text;

/** Every condition of WHERE, ON, HAVING and CASE, and of fragments that are one: dropped, negated, joined otherwise. */
export function mutatePredicates(text: string, tokens: readonly Token[]): Edit[] {
  const edits: Edit[] = [];
  tokens.forEach((token, n) => {
    if (token.kind !== 'word' || !BEGINS.has(token.text) || isWord(tokens[n + 1], 'CONFLICT')) return;
    edits.push(...mutateRegion(text, takeRegion(tokens, n + 1, token.depth)));
  });
  const [first] = tokens;
  if (first !== undefined && !(first.kind === 'word' && STATEMENTS.has(first.text)) && isPredicate(tokens)) {
    const from = isWord(first, 'AND') || isWord(first, 'OR') ? 1 : 0;
    edits.push(...mutateRegion(text, takeRegion(tokens, from, 0)));
  }
  return edits;
}

function isPredicate(tokens: readonly Token[]): boolean {
  const outside = tokens.filter(({ depth }) => depth === 0);
  if (outside.some(({ text }) => text === ',' || BEGINS.has(text) || STATEMENTS.has(text) || text === 'CASE'))
    return false;
  return outside.some(({ text }) => SHOWS_PREDICATE.has(text));
}

function takeRegion(tokens: readonly Token[], from: number, depth: number): readonly Token[] {
  const rest = tokens.slice(from);
  let cases = 0;
  const end = rest.findIndex((token) => {
    if (token.depth < depth) return true;
    if (token.depth > depth) return false;
    if (isWord(token, 'CASE')) cases += 1;
    if (isWord(token, 'END') && cases-- > 0) return false;
    if (cases > 0) return false;
    // IS DISTINCT FROM holds a word that ends other conditions.
    if (isWord(token, 'FROM') && isWord(rest[rest.indexOf(token) - 1], 'DISTINCT')) return false;
    const isConflict = isWord(token, 'ON') && isWord(rest[rest.indexOf(token) + 1], 'CONFLICT');
    return (token.kind === 'word' && ENDS.has(token.text)) || isConflict || token.text === ',';
  });
  return end === -1 ? rest : rest.slice(0, end);
}

/** One condition with its parts. Parts in parentheses are conditions again. */
function mutateRegion(text: string, region: readonly Token[]): Edit[] {
  const [first] = region;
  const last = region.at(-1);
  if (first === undefined || last === undefined) return [];
  const { depth } = first;
  const at = first.start;
  const edits: Edit[] = [];
  const parts: Token[][] = [[]];
  const joints: Token[] = [];
  let between = false;
  let cases = 0;
  for (const token of region) {
    if (token.depth === depth && isWord(token, 'CASE')) cases += 1;
    if (token.depth === depth && isWord(token, 'END')) cases -= 1;
    if (token.depth === depth && cases === 0 && isWord(token, 'BETWEEN')) between = true;
    const joins = token.depth === depth && cases === 0 && (isWord(token, 'AND') || isWord(token, 'OR'));
    if (joins && !between) {
      joints.push(token);
      parts.push([]);
      continue;
    }
    if (joins) between = false;
    parts.at(-1)?.push(token);
  }
  for (const { start, end, text: joint } of joints) {
    edits.push({ operator: 'sql-and-or', start, end, after: joint === 'AND' ? 'OR' : 'AND', at });
  }
  parts.forEach((part, n) => {
    const [from] = part;
    const to = part.at(-1);
    if (from === undefined || to === undefined) return;
    const { start } = from;
    const { end } = to;
    const own = text.slice(start, end);
    if (own === '1 = 1' || own === '1 = 0') return;
    const isDisjunct = isWord(joints[n] ?? joints[n - 1], 'OR');
    edits.push({ operator: 'sql-drop-condition', start, end, after: isDisjunct ? '1 = 0' : '1 = 1', at });
    edits.push({ operator: 'sql-negate', start, end, after: `NOT (${own})`, at });
    const closes = part.findIndex((token) => token.text === ')' && token.depth === from.depth);
    if (from.text === '(' && closes === part.length - 1) {
      edits.push(...mutateRegion(text, part.slice(1, -1)));
    }
  });
  return edits;
}
