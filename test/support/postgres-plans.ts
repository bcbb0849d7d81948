import type { Queryable } from '../../src/database/database.ts';
import { compile, join, type Query, raw, sql } from '../../src/database/sql.ts';

/** A step of a plan, as EXPLAIN (FORMAT JSON) writes it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

type Explained = { 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] };

/**
 * Plans with the values at hand, and with none of them: Postgres uses the second for a statement that it runs often. Call
 * it in a transaction.
 */
export async function explainBoth(tx: Queryable, query: Query): Promise<readonly PlanNode[]> {
  const own = await tx.one(sql<Explained>`${join([raw('EXPLAIN (FORMAT JSON)'), query], ' ')}`);
  return [own['QUERY PLAN'][0].Plan, await explainGeneric(tx, query)];
}

async function explainGeneric(tx: Queryable, query: Query): Promise<PlanNode> {
  const { text, values } = compile(query, 'postgres');
  await tx.run(raw('SET LOCAL plan_cache_mode = force_generic_plan'));
  await tx.run(raw(`PREPARE explained AS ${text}`));
  const list = values.length === 0 ? '' : `(${values.map(() => 'NULL').join(', ')})`;
  const generic = await tx.one(raw(`EXPLAIN (FORMAT JSON) EXECUTE explained${list}`) as Query<Explained>);
  await tx.run(raw('DEALLOCATE explained'));
  await tx.run(raw('SET LOCAL plan_cache_mode = auto'));
  return generic['QUERY PLAN'][0].Plan;
}

/** An index of a table that grows, by its name. */
type Indexes = ReadonlyMap<string, { readonly table: string; readonly column: string }>;

/** The indexes of these tables that hold every row, with their first column. */
export async function listWholeIndexes(db: Queryable, tables: ReadonlySet<string>): Promise<Indexes> {
  const rows = await db.all(sql<{ name: string; table: string; column: string }>`
    SELECT c.relname AS name, t.relname AS table, pg_get_indexdef(i.indexrelid, 1, true) AS column
    FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_class AS t ON t.oid = i.indrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND i.indpred IS NULL`);
  return new Map(rows.filter(({ table }) => tables.has(table)).map((row) => [row.name, row]));
}

/** Where a plan reads the whole of one of these tables, or of one of their indexes, as short texts. */
export function listScans(node: PlanNode, tables: ReadonlySet<string>, indexes: Indexes): string[] {
  const inner = (node.Plans ?? []).flatMap((each) => listScans(each, tables, indexes));
  const table = node['Relation Name'];
  if (node['Node Type'] === 'Seq Scan' && table !== undefined && tables.has(table)) {
    return [`all of ${table}`, ...inner];
  }
  const index = indexes.get(node['Index Name'] ?? '');
  // Without a condition on its first column an index is read from end to end.
  if (index === undefined || new RegExp(`\\b${index.column}\\b`).test(node['Index Cond'] ?? '')) return inner;
  return [`all of ${index.table} by ${node['Index Name']}`, ...inner];
}

/** Statistics of these tables are left as they are from now on. */
export async function stopAutovacuum(db: Queryable, tables: Iterable<string>): Promise<void> {
  for (const table of tables) await db.run(raw(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`));
}

/**
 * Lets Postgres plan as if the tables had so many times their rows: it takes the rows of a page from these columns, and
 * what values a column has from a sample. The true rows stay.
 */
export async function multiplyStatistics(db: Queryable, tables: readonly string[], times: number): Promise<void> {
  // Never the whole database: other tests work in it.
  const all = await db.all(
    sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
  );
  await db.run(raw(`ANALYZE ${all.map(({ name }) => name).join(', ')}`));
  await db.run(sql`
    UPDATE pg_class SET reltuples = reltuples * ${times}
    WHERE reltuples > 0 AND relnamespace = current_schema()::regnamespace AND (
      relname IN (SELECT value FROM json_array_elements_text(${JSON.stringify(tables)}::text::json))
      OR oid IN (SELECT i.indexrelid FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indrelid
        WHERE t.relnamespace = current_schema()::regnamespace
          AND t.relname IN (SELECT value FROM json_array_elements_text(${JSON.stringify(tables)}::text::json))))`);
}
