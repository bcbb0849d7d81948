import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe } from 'node:test';
import { migrate } from '../../src/database/migrate.ts';
import { raw } from '../../src/database/sql.ts';
import { LEDGER_MIGRATIONS } from '../../src/ledger/migrations.ts';
import { testOnEach } from '../support/database.ts';
import { findRefused, toReleasedPath } from './released-statements.ts';

describe('a worker of the last release, beside a newer program', () => {
  testOnEach('sends no statement that the tables of this version refuse', async (db, _t, url) => {
    const texts: readonly string[] = JSON.parse(readFileSync(toReleasedPath(db.dialect), 'utf8'));
    assert.ok(texts.length > 80, `only ${texts.length} statements are recorded`);
    await migrate(db, 'ledger', LEDGER_MIGRATIONS, 0);
    assert.deepEqual(await findRefused(db, url, texts), []);
    await db.run(raw('ALTER TABLE urls RENAME COLUMN bought_version TO version_bought'));
    const refused = await findRefused(db, url, texts);
    assert.ok(refused.some((text) => text.includes('UPDATE urls')));
  });
});
