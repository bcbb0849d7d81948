import {
  isBinaryExpression,
  isCallExpression,
  isNumericLiteral,
  isPropertyAccessExpression,
  isStringLiteral,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { TypeFlags } from 'typescript/unstable/sync';
import { type Context, type Rule, replace, startOf, textOf } from './context.ts';

const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '**': '*',
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
};

/** Operators between numbers, and sums without their second term. */
export const arithmetic: Rule = (node, context) => {
  if (!isBinaryExpression(node)) return [];
  const after = ARITHMETIC[textOf(node.operatorToken, context)];
  if (after === undefined) return [];
  const type = context.checker.getTypeAtLocation(node);
  if (type === undefined || (type.flags & TypeFlags.NumberLike) === 0) {
    // Branded numbers are intersections.
    if (after === '-' && !isNumberLike(node.left, context)) return [];
  }
  const edits = [replace('arithmetic', node.operatorToken, after, context, node)];
  // Without the second operand, where it is no constant: that one has mutations of its own.
  if (/^[+-]$/.test(after) && !isNumericLiteral(node.right)) {
    edits.push(replace('arithmetic', node, textOf(node.left, context), context));
  }
  return edits;
};

function isNumberLike(node: Node, { checker }: Context): boolean {
  const type = checker.getTypeAtLocation(node);
  return type !== undefined && (type.flags & (TypeFlags.NumberLike | TypeFlags.Intersection)) !== 0;
}

/** Numbers: one more, one less, zero; large ones twice as large. */
export const numbers: Rule = (node, context) => {
  if (!isNumericLiteral(node)) return [];
  const value = Number(textOf(node, context).replaceAll('_', ''));
  const others = value >= 100 ? [value * 2, 0] : value > 1 ? [value + 1, value - 1, 0] : [value + 1, value - 1];
  return others.map((other) => replace('number', node, other < 0 ? `(${other})` : String(other), context));
};

export const booleans: Rule = (node, context) => {
  if (node.kind === SyntaxKind.TrueKeyword) return [replace('boolean', node, 'false', context)];
  if (node.kind === SyntaxKind.FalseKeyword) return [replace('boolean', node, 'true', context)];
  return [];
};

/** A text that is a state, a member of a union of texts, becomes the next member. */
export const states: Rule = (node, context) => {
  if (!isStringLiteral(node)) return [];
  const members = listMembers(node, context);
  if (members.length < 2) return [];
  const next = members[(members.indexOf(node.text) + 1) % members.length]!;
  return [replace('state', node, `'${next}'`, context)];
};

function listMembers(node: Node, { checker, text, source }: Context): string[] {
  const { parent } = node;
  const isCompared =
    isBinaryExpression(parent) && /^[!=]==?$/.test(textOf(parent.operatorToken, { checker, text, source }));
  const type = isCompared
    ? checker.getTypeAtLocation(parent.left === node ? parent.right : parent.left)
    : checker.getContextualType(node as never);
  if (type === undefined || !type.isUnionType()) return [];
  const values = type.getTypes().map((member) => ('value' in member ? (member as { value: unknown }).value : null));
  return values.filter((value) => typeof value === 'string').toSorted();
}

const METHODS: Readonly<Record<string, string>> = { some: 'every', every: 'some', find: 'findLast', findLast: 'find' };
const DROPPED = new Set(['filter', 'toSorted', 'toReversed', 'slice']);

/** The smaller for the larger, some for every; a filter, an order or a slice left out. */
export const calls: Rule = (node, context) => {
  if (!isCallExpression(node)) return [];
  const { expression } = node;
  const name = textOf(expression, context);
  if (name === 'Math.min') return [replace('min-max', expression, 'Math.max', context, node)];
  if (name === 'Math.max' || name === 'maxMicros') return [replace('min-max', expression, 'Math.min', context, node)];
  if (!isPropertyAccessExpression(expression)) return [];
  const method = expression.name.text;
  const target = expression.expression;
  const other = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (other !== undefined) return [replace('method', expression.name, other, context, node)];
  if (!DROPPED.has(method)) return [];
  const edit = replace('method', node, '', context);
  return [{ ...edit, start: target.end, at: startOf(node, context) }];
};
