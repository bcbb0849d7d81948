import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isTaggedTemplateExpression,
  type Node,
  type TemplateLiteral,
} from 'typescript/unstable/ast';
import { API, type Checker, type Type, TypeFlags } from 'typescript/unstable/sync';
import { type Kind, type RowType, type RowTypes, toKey } from '../support/compare-rows.ts';
import { listSources, root } from '../support/imports.ts';

/** The row types of all statements of these folders, as the compiler understands `` sql<Row>`…` ``. */
export function readRowTypes(folders: readonly string[]): RowTypes {
  const api = new API({ cwd: root });
  const found = new Map<string, RowType[]>();
  try {
    const project = api.updateSnapshot({ openProject: join(root, 'tsconfig.json') }).getProjects()[0];
    if (project === undefined) throw new Error('tsconfig.json was not read');
    const { program, checker } = project;
    for (const file of listSources(folders)) {
      const source = program.getSourceFile(join(root, file));
      if (source === undefined) throw new Error(`${file} is not part of tsconfig.json`);
      const visit = (node: Node): void => {
        if (isTaggedTemplateExpression(node) && isIdentifier(node.tag) && node.tag.text === 'sql') {
          const [row] = node.typeArguments ?? [];
          const type = row === undefined ? undefined : checker.getTypeFromTypeNode(row);
          const columns = type === undefined ? null : readColumns(checker, type);
          if (columns !== null) {
            const key = toKey(readStrings(node.template));
            found.set(key, [...(found.get(key) ?? []), { file, columns }]);
          }
        }
        node.forEachChild(visit);
      };
      visit(source);
    }
  } finally {
    api.close();
  }
  return found;
}

const readStrings = (template: TemplateLiteral): string[] =>
  isNoSubstitutionTemplateLiteral(template)
    ? [template.text]
    : [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)];

/** Null: a type parameter, which each caller sets. */
function readColumns(checker: Checker, type: Type): Map<string, Set<Kind>> | null {
  if (type.isTypeParameter()) return null;
  const columns = new Map<string, Set<Kind>>();
  for (const property of checker.getPropertiesOfType(type)) {
    const of = checker.getTypeOfSymbol(property);
    if (of !== undefined) columns.set(property.name, new Set(readKinds(of)));
  }
  return columns;
}

const KINDS: readonly (readonly [TypeFlags, Kind])[] = [
  [TypeFlags.NumberLike, 'number'],
  [TypeFlags.StringLike, 'string'],
  [TypeFlags.BigIntLike, 'bigint'],
  [TypeFlags.Null, 'null'],
];

function readKinds(type: Type): Kind[] {
  if (type.isUnionType()) return type.getTypes().flatMap(readKinds);
  // A name for a primitive type is the primitive and a mark.
  if (type.isIntersectionType())
    return type
      .getTypes()
      .flatMap(readKinds)
      .filter((kind) => kind !== 'other');
  return [KINDS.find(([flag]) => (type.flags & flag) !== 0)?.[1] ?? 'other'];
}

/** Where statements stand. */
const FOLDERS = ['src/database', 'src/ledger', 'src/rate-limit', 'service'];

/** Writes the row types of the program for `compareRows`. */
export function writeRowTypes(path: string): void {
  const types = [...readRowTypes(FOLDERS)].map(([key, all]) => [
    key,
    all.map(({ file, columns }) => ({ file, columns: [...columns].map(([name, kinds]) => [name, [...kinds]]) })),
  ]);
  writeFileSync(path, JSON.stringify(types));
}
