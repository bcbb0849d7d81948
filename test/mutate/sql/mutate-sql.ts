import type { Edit } from '../edit.ts';
import { mutatePredicates } from './predicates.ts';
import type { Schema } from './schema.ts';
import { mutateTerms } from './terms.ts';
import { type Span, tokenize } from './tokens.ts';

/** What a mutation of SQL must know besides the text. */
export interface SqlWorld {
  readonly schema: Schema;
  /** Literals that are written or compared in the tree, by column. */
  readonly states: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * The mutations of one template of SQL.
 *
 * @param text the file
 * @param span where the template is in it, without its quotes
 * @param holes its `${…}`, in order
 */
export function mutateSql(text: string, span: Span, holes: readonly Span[], world: SqlWorld): Edit[] {
  const tokens = tokenize(text, span, holes);
  return [...mutatePredicates(text, tokens), ...mutateTerms(text, tokens, world)];
}
