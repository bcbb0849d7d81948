/**
 * Writes the schema of every store as SQL, as the migrations leave it: `npm run schema:dump`. Run it after you add a
 * migration. The Postgres dumps need COURIER_TEST_POSTGRES, the URL of a Postgres that tests may use.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dumpSchema, STORES, toDumpPath } from './dump-schema.ts';

const postgres = process.env.COURIER_TEST_POSTGRES;
if (!postgres) {
  process.stderr.write('COURIER_TEST_POSTGRES is not set: the Postgres dumps are left as they are.\n');
}
for (const store of STORES) {
  const folder = mkdtempSync(join(tmpdir(), 'courier-schema-'));
  try {
    writeFileSync(toDumpPath(store, 'sqlite'), await dumpSchema(store, `sqlite:${join(folder, 'empty.db')}`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (!postgres) continue;
  const url = new URL(postgres);
  url.searchParams.set('schema', `dump_${store.component.replace('-', '_')}_${process.pid}`);
  writeFileSync(toDumpPath(store, 'postgres'), await dumpSchema(store, url.href));
}
