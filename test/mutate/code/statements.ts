import {
  type Expression,
  isArrayLiteralExpression,
  isAwaitExpression,
  isBinaryExpression,
  isBlock,
  isCallExpression,
  isCaseClause,
  isDefaultClause,
  isDeleteExpression,
  isExpressionStatement,
  isIfStatement,
  isMethodDeclaration,
  isObjectLiteralExpression,
  isPostfixUnaryExpression,
  isPrefixUnaryExpression,
  isReturnStatement,
  isSpreadAssignment,
  isSpreadElement,
  isVariableStatement,
  isVoidExpression,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { SymbolFlags } from 'typescript/unstable/sync';
import type { Edit } from '../edit.ts';
import { type Context, isLog, type Rule, replace, startOf, textOf } from './context.ts';

const LEAVES: ReadonlySet<number> = new Set([
  SyntaxKind.ReturnStatement,
  SyntaxKind.ContinueStatement,
  SyntaxKind.BreakStatement,
  SyntaxKind.ThrowStatement,
]);

/** Calls and assignments left out, and ways out of a block that holds more than them. */
export const removals: Rule = (node, context) => {
  if (isExpressionStatement(node) && hasEffect(node.expression) && !/^super\b/.test(textOf(node, context))) {
    if (isLog(node, context)) return [];
    return [replace('removed', node, ';', context)];
  }
  if (!LEAVES.has(node.kind)) return [];
  const { parent } = node;
  const isOnly = !isBlock(parent) || parent.statements.length === 1;
  // The same as its condition never being true.
  if ((isOnly && (isIfStatement(parent) || isIfStatement(parent.parent))) || isEndOfFunction(node)) return [];
  return [replace('removed', node, ';', context)];
};

/** Without it the function would return nothing, which its callers notice at once. */
function isEndOfFunction(node: Node): boolean {
  if (!isReturnStatement(node) || !isBlock(node.parent)) return false;
  const { parent: owner } = node.parent;
  return node.parent.statements.at(-1) === node && !isIfStatement(owner) && !isCaseClause(owner);
}

function hasEffect(node: Node): boolean {
  if (isAwaitExpression(node) || isVoidExpression(node)) return hasEffect(node.expression);
  if (isBinaryExpression(node)) return true;
  return (
    isCallExpression(node) ||
    isDeleteExpression(node) ||
    isPostfixUnaryExpression(node) ||
    isPrefixUnaryExpression(node)
  );
}

/** Two neighbours in the other order, where neither uses what the other declares and one of them acts. */
export const orders: Rule = (node, context) => {
  if (!isBlock(node) && !isCaseClause(node) && !isDefaultClause(node)) return [];
  const { statements } = node;
  return statements.flatMap((second, n): Edit[] => {
    const first = statements[n - 1];
    if (first === undefined || !isMovable(first) || !isMovable(second)) return [];
    if (isLog(first, context) || isLog(second, context)) return [];
    const one = textOf(first, context);
    const two = textOf(second, context);
    if (!acts(first, one) || !acts(second, two)) return [];
    if (uses(two, namesOf(one)) || uses(one, namesOf(two))) return [];
    const start = startOf(first, context);
    const between = context.text.slice(first.end, startOf(second, context));
    return [{ operator: 'order', start, end: second.end, after: `${two}${between}${one}`, at: start }];
  });
};

const isMovable = (node: Node): boolean => isExpressionStatement(node) || isVariableStatement(node);
const acts = (node: Node, text: string): boolean => isExpressionStatement(node) || text.includes('await ');

function namesOf(text: string): readonly string[] {
  const declared = /^(?:const|let) ([^=]+)=/.exec(text)?.[1] ?? /^([\w.#]+) =/.exec(text)?.[1] ?? '';
  return declared.match(/[\w#]+/g) ?? [];
}

const uses = (text: string, names: readonly string[]): boolean =>
  names.some((name) => new RegExp(`(?<![\\w.#])${name}(?!\\w)`).test(text));

/** What is not waited for. A function that ends with a promise hands it on either way. */
export const awaits: Rule = (node, context) => {
  if (!isAwaitExpression(node)) return [];
  if (isReturnStatement(node.parent) || node.parent.kind === SyntaxKind.ArrowFunction) return [];
  return [replace('await', node, textOf(node.expression, context), context)];
};

/** `a?.b` becomes `a.b`. */
export const optionals: Rule = (node, context) => {
  const { questionDotToken } = node as { questionDotToken?: Node };
  if (questionDotToken === undefined) return [];
  const start = startOf(questionDotToken, context);
  const isDot = /[\w#]/.test(context.text[start + 2] ?? '');
  return [{ operator: 'optional', start, end: start + 2, after: isDot ? '.' : '', at: startOf(node, context) }];
};

/** An optional property of an object, or an element of a list, left out. */
export const parts: Rule = (node, context) => {
  if (isObjectLiteralExpression(node)) {
    const { properties } = node;
    return properties.flatMap((part, n) =>
      isMethodDeclaration(part) || isRequired(node, part, context)
        ? []
        : [leaveOut('property', properties, n, context)],
    );
  }
  if (!isArrayLiteralExpression(node)) return [];
  const { elements } = node;
  if (elements.length > 12 || (elements.length < 2 && !elements.some(isSpreadElement))) return [];
  return elements.map((_, n) => leaveOut('element', elements, n, context));
};

/** The compiler finds it missing. */
function isRequired(object: Expression, part: Node, { checker }: Context): boolean {
  if (isSpreadAssignment(part)) return false;
  const { name } = part as { name?: Node };
  const type = checker.getContextualType(object);
  if (name === undefined || !('text' in name) || type === undefined) return true;
  const property = checker.getPropertyOfType(type, String(name.text));
  return property === undefined || (property.flags & SymbolFlags.Optional) === 0;
}

function leaveOut(operator: string, all: readonly Node[], n: number, context: Context): Edit {
  const part = all[n]!;
  const next = all[n + 1];
  const start = startOf(part, context);
  const comma = context.text.slice(part.end).match(/^\s*,/)?.[0].length ?? 0;
  return { operator, start, end: next === undefined ? part.end + comma : startOf(next, context), after: '', at: start };
}
