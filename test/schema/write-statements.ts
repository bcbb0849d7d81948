/**
 * Records the statements that a worker of this version sends to the ledger: `npm run record:statements`. Run it for each
 * release: until the next one, migrations are tested against them. Postgres' needs COURIER_TEST_POSTGRES.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { recordTexts, toReleasedPath } from './released-statements.ts';

const write = (path: string, texts: readonly string[]) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(texts, null, 2)}\n`);
};

const folder = mkdtempSync(join(tmpdir(), 'courier-statements-'));
try {
  write(toReleasedPath('sqlite'), await recordTexts(`sqlite:${join(folder, 'empty.db')}`));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const postgres = process.env.COURIER_TEST_POSTGRES;
if (postgres) {
  const url = new URL(postgres);
  url.searchParams.set('schema', `statements_${process.pid}`);
  write(toReleasedPath('postgres'), await recordTexts(url.href));
} else {
  process.stderr.write('COURIER_TEST_POSTGRES is not set: the statements for Postgres are left as they are.\n');
}
