import type { Queryable } from '../../database/database.ts';
import { type Columns, type Row, toRows } from '../../database/rows.ts';
import { join, type Query, raw, sql } from '../../database/sql.ts';
import type { WatchId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';
import { compileSelection, FORGET_PAGE, type ForgetSelection } from './forget-selection.ts';

/** A column of texts in which addresses may stand: messages, samples, reasons, bodies of checks that are over. */
interface TextColumn {
  readonly table: string;
  readonly key: Columns;
  readonly column: string;
  /** The column that names the watch, or the owner that has one; null: not of one watch. */
  readonly watch: 'watch_id' | { readonly owner: string; readonly table: string } | null;
  readonly only?: string;
}

const OF_RUN = { owner: 'run_id', table: 'runs' } as const;
const IS_OVER = `state IN ('done', 'refused', 'stopped', 'cancelled')`;

const TEXTS: readonly TextColumn[] = [
  { table: 'runs', key: { id: 'bigint' }, column: 'held', watch: 'watch_id' },
  { table: 'runs', key: { id: 'bigint' }, column: 'held_reason_params', watch: 'watch_id' },
  { table: 'run_sitemaps', key: { run_id: 'bigint', sitemap_id: 'bigint' }, column: 'message', watch: OF_RUN },
  {
    table: 'run_skips',
    key: { run_id: 'bigint', sitemap_id: 'bigint', reason: 'text' },
    column: 'sample',
    watch: OF_RUN,
  },
  { table: 'batches', key: { id: 'bigint' }, column: 'reason_params', watch: 'watch_id' },
  {
    table: 'batch_answers',
    key: { batch_id: 'bigint', attempt: 'bigint' },
    column: 'message',
    watch: { owner: 'batch_id', table: 'batches' },
  },
  { table: 'checks', key: { id: 'bigint' }, column: 'reason_params', watch: 'watch_id' },
  { table: 'checks', key: { id: 'bigint' }, column: 'body', watch: 'watch_id', only: IS_OVER },
  { table: 'account_stops', key: { account_id: 'text', kind: 'text' }, column: 'reason_params', watch: null },
  { table: 'notice_conditions', key: { key: 'text' }, column: 'details', watch: null },
  { table: 'notice_queue', key: { id: 'bigint' }, column: 'message', watch: null },
];

/** Texts of the pages themselves. */
const MEMBER_TEXTS: readonly TextColumn[] = [
  { table: 'urls', key: { id: 'bigint' }, column: 'reason_params', watch: null },
  { table: 'batch_urls', key: { url_id: 'bigint', generation: 'bigint' }, column: 'reason', watch: null },
  { table: 'check_urls', key: { url_id: 'bigint', check_id: 'bigint' }, column: 'detail', watch: null },
];

type TextRow = Readonly<Record<string, string | number>> & { readonly text: string };

const ADDRESS = /https?:\/\/[^\s"'\\<>]+/gi;
const PUNCTUATION = /[).,;:!?\]}]+$/;

/** Puts "(forgotten)" in place of each selected address. The text may be JSON and stays it. */
export const removeAddresses = (text: string, isSelected: (address: string) => boolean): string =>
  text.replace(ADDRESS, (match) => {
    const end = PUNCTUATION.exec(match)?.[0] ?? '';
    const address = match.slice(0, match.length - end.length);
    if (isSelected(address)) return `(forgotten)${end}`;
    // What looks like punctuation may belong to the address.
    return isSelected(match) ? '(forgotten)' : match;
  });

/** Removes selected addresses from the texts of runs, batches, checks and messages. Returns how many texts had one. */
export async function forgetTexts(
  { db }: Ledger,
  selection: ForgetSelection,
  between: (began: number) => Promise<void>,
): Promise<number> {
  const isSelected = compileSelection(selection);
  const watch = selection.kind === 'watch' ? selection.watch : null;
  let texts = 0;
  for (const column of TEXTS) {
    if (watch !== null && column.watch === null) continue;
    for (let after: TextRow | null = null; ; ) {
      const began = performance.now();
      const page: readonly TextRow[] = await db.all(selectTexts(column, watch, after));
      texts += await db.tx((tx) => replaceTexts(tx, column, page, isSelected));
      after = page.at(-1) ?? null;
      if (after === null || page.length < FORGET_PAGE) break;
      await between(began);
    }
  }
  return texts;
}

/** The same for what the service said of these URLs alone; every address in it is one of theirs. */
export async function removeFromTextsOf(tx: Queryable, ids: readonly number[]): Promise<number> {
  const listed = toRows(
    { id: 'bigint' },
    ids.map((id): Row => [id]),
  );
  let texts = 0;
  for (const column of MEMBER_TEXTS) {
    const [owner = ''] = Object.keys(column.key);
    const page = await tx.all(sql<TextRow>`
      SELECT ${toKeyList(column)}, ${raw(column.column)} AS text FROM ${raw(column.table)}
      WHERE ${raw(owner)} IN (SELECT id FROM ${listed} AS r) AND ${raw(column.column)} LIKE '%://%'`);
    texts += await replaceTexts(tx, column, page, () => true);
  }
  return texts;
}

const toKeyList = ({ key }: TextColumn): Query => raw(Object.keys(key).join(', '));

/** The next texts that hold an address, in the order of the primary key. */
export function selectTexts(column: TextColumn, watch: WatchId | null, after: TextRow | null): Query<TextRow> {
  const { table, key, only = '1 = 1' } = column;
  const list = toKeyList(column);
  const behind =
    after === null
      ? sql`1 = 1`
      : sql`(${list}) > (${join(
          Object.keys(key).map((name) => sql`${after[name] ?? null}`),
          ', ',
        )})`;
  return sql<TextRow>`
    SELECT ${list}, ${raw(column.column)} AS text FROM ${raw(table)}
    WHERE ${behind} AND ${raw(column.column)} LIKE '%://%' AND ${raw(only)} AND ${isOfWatch(column, watch)}
    ORDER BY ${list} LIMIT ${FORGET_PAGE}`;
}

function isOfWatch({ watch: by }: TextColumn, watch: WatchId | null): Query {
  if (watch === null || by === null) return sql`1 = 1`;
  const id = sql`(SELECT id FROM watches WHERE name = ${watch})`;
  if (by === 'watch_id') return sql`watch_id = ${id}`;
  return sql`${raw(by.owner)} IN (SELECT o.id FROM ${raw(by.table)} AS o WHERE o.watch_id = ${id})`;
}

async function replaceTexts(
  tx: Queryable,
  { table, column, key }: TextColumn,
  page: readonly TextRow[],
  isSelected: (address: string) => boolean,
): Promise<number> {
  const names = Object.keys(key);
  const rows = page.flatMap((row): Row[] => {
    const text = removeAddresses(row.text, isSelected);
    return text === row.text ? [] : [[...names.map((name) => row[name] ?? null), row.text, text]];
  });
  if (rows.length === 0) return 0;
  const isRow = join(
    names.map((name) => sql`${raw(table)}.${raw(name)} = r.${raw(name)}`),
    ' AND ',
  );
  // What was written since it was read is newer than what it replaces, and stays.
  const { changes } = await tx.run(sql`
    UPDATE ${raw(table)} SET ${raw(column)} = r.new_text
    FROM ${toRows({ ...key, old_text: 'text', new_text: 'text' }, rows)} AS r
    WHERE ${isRow} AND ${raw(table)}.${raw(column)} = r.old_text`);
  return changes;
}
