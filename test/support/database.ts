import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import type { Cleanup } from './cleanup.ts';
import { compareRows, loadRowTypes } from './compare-rows.ts';

/** Test databases: SQLite always, Postgres where COURIER_TEST_POSTGRES holds a URL. */
export const TEST_DIALECTS: readonly Dialect[] = [
  'sqlite',
  ...(process.env.COURIER_TEST_POSTGRES ? ['postgres' as const] : []),
];
export type Dialect = 'sqlite' | 'postgres';

let counter = 0;

/** What each statement returns is compared with the type of its rows. */
const ROW_TYPES = loadRowTypes();

/** The URL of a new, empty database that is gone after the test. */
export function emptyDatabaseUrl(t: Cleanup, dialect: Dialect): string {
  if (dialect === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'courier-db-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    return `sqlite:${join(folder, 'test.db')}`;
  }
  const url = new URL(process.env.COURIER_TEST_POSTGRES!);
  url.searchParams.set('schema', `t${process.pid}_${Date.now()}_${++counter}`);
  return url.href;
}

/** Declares the same test once per database that is there. */
export function testOnEach(name: string, body: (db: Database, t: TestContext, url: string) => Promise<void>): void {
  for (const dialect of TEST_DIALECTS) {
    test(`${name} (${dialect})`, async (t) => {
      const url = emptyDatabaseUrl(t, dialect);
      const opened = openDatabase(url, { synchronous: 'NORMAL' });
      t.after(() => opened.close());
      const db = ROW_TYPES === null ? opened : compareRows(opened, ROW_TYPES);
      await body(db, t, url);
    });
  }
}

/** The same for a test that opens what it needs by itself. */
export function testOnEachDialect(name: string, body: (t: TestContext, dialect: Dialect) => Promise<void>): void {
  for (const dialect of TEST_DIALECTS) test(`${name} (${dialect})`, (t) => body(t, dialect));
}
