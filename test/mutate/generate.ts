import { globSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import {
  isCallExpression,
  isFunctionDeclaration,
  isIdentifier,
  isImportDeclaration,
  isMethodDeclaration,
  isTaggedTemplateExpression,
  isTemplateExpression,
  isThrowStatement,
  isTypeNode,
  isVariableDeclaration,
  type Node,
  type SourceFile,
  SyntaxKind,
  type TaggedTemplateExpression,
  type TemplateLiteral,
} from 'typescript/unstable/ast';
import { API, type Checker, type Program } from 'typescript/unstable/sync';
import { ROOT } from '../suites.ts';
import { comparisons, conditions, logic, negations } from './code/conditions.ts';
import { type Context, isLog, type Rule, startOf } from './code/context.ts';
import { awaits, optionals, orders, parts, removals } from './code/statements.ts';
import { arithmetic, booleans, calls, numbers, states } from './code/values.ts';
import type { Edit } from './edit.ts';
import { type Mutation, mutateText, nameMutations, type PlacedEdit } from './mutation.ts';
import { mutateSql, type SqlWorld } from './sql/mutate-sql.ts';
import { readSchema } from './sql/schema.ts';
import { findColumnOf } from './sql/terms.ts';
import { type Span, tokenize } from './sql/tokens.ts';

const RULES: readonly Rule[] = [
  ...[comparisons, logic, conditions, negations],
  ...[arithmetic, numbers, booleans, states, calls],
  ...[removals, orders, awaits, optionals, parts],
];

const FUNCTIONS: ReadonlySet<number> = new Set([
  ...[SyntaxKind.FunctionDeclaration, SyntaxKind.FunctionExpression, SyntaxKind.ArrowFunction],
  ...[SyntaxKind.MethodDeclaration, SyntaxKind.Constructor, SyntaxKind.GetAccessor, SyntaxKind.SetAccessor],
]);

/** All mutations of these files, relative to the tree. */
export function generate(files: readonly string[]): Mutation[] {
  const api = new API({ cwd: ROOT });
  try {
    const project = api.updateSnapshot({ openProject: join(ROOT, 'tsconfig.json') }).getProjects()[0];
    if (project === undefined) throw new Error('tsconfig.json was not read');
    const { program, checker } = project;
    const world = { schema: readSchema(), states: collectStates(program) };
    return files.flatMap((file) => {
      const source = program.getSourceFile(join(ROOT, file));
      if (source === undefined) throw new Error(`${file} is not part of tsconfig.json`);
      return generateOf(file, source, checker, world);
    });
  } finally {
    api.close();
  }
}

function generateOf(file: string, source: SourceFile, checker: Checker, world: SqlWorld): Mutation[] {
  const { text } = source;
  const context: Context = { text, source, checker };
  const edits: PlacedEdit[] = [];
  const visit = (node: Node, scope: readonly string[], isCalled: boolean): void => {
    if (isWithoutEffect(node, context)) return;
    const name = nameOf(node);
    const inside = name === null ? scope : [...scope, name];
    const add = (made: readonly Edit[]) => {
      for (const edit of made)
        edits.push({ ...edit, scope: inside.join('.') || 'module', at: isCalled ? edit.at : null });
    };
    if (isSql(node)) {
      const { span, holes } = spansOf(node.template, context);
      add(mutateSql(text, span, holes, world).map((edit) => ({ ...edit, at: startOf(node, context) })));
    }
    for (const rule of RULES) add(rule(node, context));
    if (isThrowStatement(node)) return;
    node.forEachChild((child) => visit(child, inside, isCalled || FUNCTIONS.has(node.kind)));
  };
  visit(source, [], false);
  return nameMutations(file, text, edits).filter((mutation) => isProgram(mutateText(text, mutation)));
}

const isSql = (node: Node): node is TaggedTemplateExpression =>
  isTaggedTemplateExpression(node) && isIdentifier(node.tag) && node.tag.text === 'sql';

function isProgram(text: string): boolean {
  try {
    stripTypeScriptTypes(text);
    return true;
  } catch {
    return false;
  }
}

/** Types, imports, logs and sentences: nothing that is bought depends on them. */
function isWithoutEffect(node: Node, context: Context): boolean {
  if (isImportDeclaration(node) || isTypeNode(node) || node.kind === SyntaxKind.InterfaceDeclaration) return true;
  if (node.kind === SyntaxKind.TypeAliasDeclaration || node.kind === SyntaxKind.ExportDeclaration) return true;
  if (isCallExpression(node)) return isLog(node, context);
  // A template with a blank is a sentence; others are keys and names.
  if (!isTemplateExpression(node) || isTaggedTemplateExpression(node.parent)) return false;
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)].some(({ text }) => text.includes(' '));
}

function nameOf(node: Node): string | null {
  if (!isFunctionDeclaration(node) && !isMethodDeclaration(node) && !isVariableDeclaration(node)) return null;
  const { name } = node;
  return name !== undefined && 'text' in name ? String(name.text) : null;
}

/** Where a template's text is, and its `${…}`. */
function spansOf(
  template: TemplateLiteral,
  context: Context,
): { readonly span: Span; readonly holes: readonly Span[] } {
  const span = { start: startOf(template, context) + 1, end: template.end - 1 };
  if (!isTemplateExpression(template)) return { span, holes: [] };
  let from = template.head.end - 2;
  const holes = template.templateSpans.map(({ literal }) => {
    const hole = { start: from, end: startOf(literal, context) + 1 };
    from = literal.end - 2;
    return hole;
  });
  return { span, holes };
}

/** The literals of SQL in the whole tree, by the column that they are compared with or written to. */
function collectStates(program: Program): Map<string, Set<string>> {
  const states = new Map<string, Set<string>>();
  for (const file of globSync('src/{ledger,rate-limit}/**/*.ts', { cwd: ROOT })) {
    const source = file.endsWith('.test.ts') ? undefined : program.getSourceFile(join(ROOT, file));
    if (source === undefined) continue;
    const visit = (node: Node): void => {
      if (isSql(node)) {
        const { span, holes } = spansOf(node.template, { text: source.text, source, checker: undefined as never });
        const tokens = tokenize(source.text, span, holes);
        tokens.forEach(({ kind, text }, n) => {
          const column = kind === 'string' ? findColumnOf(tokens, n) : null;
          if (column === null) return;
          const known = states.get(column) ?? new Set();
          states.set(column, known.add(text));
        });
      }
      node.forEachChild(visit);
    };
    visit(source);
  }
  return states;
}
