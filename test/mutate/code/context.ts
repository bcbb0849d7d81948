import type { Node, SourceFile } from 'typescript/unstable/ast';
import type { Checker } from 'typescript/unstable/sync';
import type { Edit } from '../edit.ts';

/** What a rule knows about the file of a node. */
export interface Context {
  readonly text: string;
  readonly source: SourceFile;
  readonly checker: Checker;
}

/** Makes the changes of one node, not of those in it. */
export type Rule = (node: Node, context: Context) => readonly Edit[];

export const startOf = (node: Node, { source }: Context): number => node.getStart(source);

export const textOf = (node: Node, context: Context): string => context.text.slice(startOf(node, context), node.end);

/** Replaces a node. It runs where the node runs, unless `at` says another one. */
export function replace(operator: string, node: Node, after: string, context: Context, at: Node = node): Edit {
  return { operator, start: startOf(node, context), end: node.end, after, at: startOf(at, context) };
}

/** A line of a log, waited for or not. */
export const isLog = (node: Node, context: Context): boolean =>
  /^(await |void )?((\w+\.)*(log|logger)\.\w+|console\.\w+)\(/.test(textOf(node, context));
