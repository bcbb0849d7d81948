import { DatabaseSync } from 'node:sqlite';
import type { Database, Queryable } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { compile, raw } from '../../src/database/sql.ts';
import { ledgerOver } from '../../src/ledger/open-ledger.ts';
import { HOT_QUERIES } from '../support/hot-queries.ts';
import { DAY, WATCH } from '../support/ledger.ts';
import { workForWeeks } from '../support/ledger-work.ts';
import { recordStatements } from '../support/record-statements.ts';
import type { SchemaDialect } from './dump-schema.ts';

/** The statements of the last release, as a worker of it sends them while a newer program changes the tables. */
export const toReleasedPath = (dialect: SchemaDialect): string => `test/schema/released/ledger.${dialect}.json`;

/** The texts of what a worker sends in some weeks. The database must be new and empty. */
export async function recordTexts(url: string): Promise<readonly string[]> {
  const opened = openDatabase(url, { synchronous: 'NORMAL' });
  try {
    const inserts = new Set<string>();
    const { db, statements } = recordStatements(noteInserts(opened, inserts));
    let now = Date.UTC(2026, 2, 1);
    await ledgerOver(opened, () => now);
    const ledger = await ledgerOver(db, () => now);
    await workForWeeks(ledger, [WATCH.id], () => {
      now += 4 * DAY;
    });
    const hot = HOT_QUERIES.map(({ query }) => compile(query, db.dialect).text);
    const texts = [...statements.map(({ text }) => text), ...inserts, ...hot].map((text) =>
      text.replaceAll(/\s+/g, ' ').trim(),
    );
    return [...new Set(texts.filter((text) => /^(SELECT|INSERT|UPDATE|DELETE|WITH) /.test(text)))].toSorted();
  } finally {
    await opened.close();
  }
}

/** SQLite takes the rows of an insert one by one. */
function noteInserts(db: Database, texts: Set<string>): Database {
  const note = <Inner extends Queryable>(inner: Inner): Inner => ({
    ...inner,
    runEach(strings, rows) {
      texts.add(strings.join('?'));
      return inner.runEach(strings, rows);
    },
  });
  return { ...note(db), tx: (work) => db.tx((tx) => work(note(tx))) };
}

/** The statements that this schema refuses, with the reason. */
export async function findRefused(db: Database, url: string, texts: readonly string[]): Promise<readonly string[]> {
  const refused: string[] = [];
  for (const text of texts) {
    await prepare(db, url, text).catch((error: Error) => refused.push(`${error.message}: ${text}`));
  }
  return refused;
}

async function prepare(db: Database, url: string, text: string): Promise<void> {
  if (db.dialect === 'sqlite') {
    const file = new DatabaseSync(url.slice('sqlite:'.length));
    try {
      file.prepare(text);
    } finally {
      file.close();
    }
    return;
  }
  await db.tx(async (tx) => {
    await tx.run(raw(`PREPARE released AS ${text}`));
    await tx.run(raw('DEALLOCATE released'));
  });
}
