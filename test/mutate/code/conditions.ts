import {
  isBinaryExpression,
  isConditionalExpression,
  isForStatement,
  isIfStatement,
  isParenthesizedExpression,
  isPrefixUnaryExpression,
  isWhileStatement,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import type { Edit } from '../edit.ts';
import { type Context, type Rule, replace, startOf, textOf } from './context.ts';

const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
};

/** The boundary and the opposite of each comparison. */
export const comparisons: Rule = (node, context) => {
  if (!isBinaryExpression(node)) return [];
  const operator = textOf(node.operatorToken, context);
  return (COMPARISONS[operator] ?? []).map((after) => replace('comparison', node.operatorToken, after, context, node));
};

/** `a && b` becomes `a || b`, `a`, `b`; the same for `||`; `a ?? b` becomes `a` or `b`. */
export const logic: Rule = (node, context) => {
  if (!isBinaryExpression(node)) return [];
  const { left, operatorToken, right } = node;
  const operator = textOf(operatorToken, context);
  if (operator === '??=') return [replace('nullish', operatorToken, '=', context, node)];
  if (operator !== '&&' && operator !== '||' && operator !== '??') return [];
  const name = operator === '??' ? 'nullish' : 'logic';
  const edits = [
    replace(name, node, textOf(left, context), context),
    replace(name, node, textOf(right, context), context),
  ];
  if (operator === '??') return edits;
  const swapped = `(${textOf(left, context)}) ${operator === '&&' ? '||' : '&&'} (${textOf(right, context)})`;
  return [...edits, replace(name, node, swapped, context)];
};

/** Each condition is always true, never true, and its opposite. A loop that never ends proves nothing: its is never true. */
export const conditions: Rule = (node, context) => {
  const condition = conditionOf(node);
  if (condition === undefined) return [];
  const isLoop = isWhileStatement(node) || isForStatement(node);
  if (textOf(condition, context) === 'true') return [];
  const edits = [replace('condition', condition, 'false', context)];
  if (isLoop) return edits;
  edits.push(replace('condition', condition, 'true', context));
  if (!isComparison(condition, context))
    edits.push(replace('condition', condition, negate(condition, context), context));
  return edits;
};

function conditionOf(node: Node): Node | undefined {
  if (isIfStatement(node) || isWhileStatement(node)) return node.expression;
  if (isConditionalExpression(node) || isForStatement(node)) return node.condition;
  return undefined;
}

const isComparison = (node: Node, context: Context): boolean =>
  isBinaryExpression(node) && textOf(node.operatorToken, context) in COMPARISONS;

const isNot = (node: Node): boolean => isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken;

function negate(node: Node, context: Context): string {
  const own = textOf(node, context);
  return isNot(node) ? own.slice(1) : isParenthesizedExpression(node) ? `!${own}` : `!(${own})`;
}

/** `!a` becomes `a`, where it is not a whole condition. */
export const negations: Rule = (node, context) => {
  if (!isNot(node) || conditionOf(node.parent) === node) return [];
  const start = startOf(node, context);
  return [{ operator: 'negation', start, end: start + 1, after: '', at: start } satisfies Edit];
};
