import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import pg from 'pg';
import { DatabaseUrlError } from './database.ts';
import { addPassword } from './postgres-password.ts';

/** What the driver sends as its password. */
const getPassword = (url: URL): unknown => new pg.Client({ connectionString: url.href }).password;

describe('PGPASSWORD_FILE', () => {
  test('gives a password, of any characters, to each host without one', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-password-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'password');
    const password = 'a/b:c@d?e#f%41 ğ';
    writeFileSync(file, `${password}\n`);
    const urls = ['one', 'two'].map((host) => new URL(`postgres://courier@${host}/courier`));
    addPassword(urls, file);
    assert.deepEqual(urls.map(getPassword), [password, password]);
  });

  test('leaves a URL with a password as it is', () => {
    const url = new URL('postgres://courier:own@db/courier');
    addPassword([url], '/no/such/file');
    assert.equal(getPassword(url), 'own');
    const bare = new URL('postgres://courier@db/courier');
    addPassword([bare], undefined);
    assert.equal(bare.password, '');
  });

  test('names a file that cannot be read', () => {
    assert.throws(
      () => addPassword([new URL('postgres://courier@db/courier')], '/no/such/file'),
      (error: Error) => error instanceof DatabaseUrlError && /\/no\/such\/file.*ENOENT/.test(error.message),
    );
  });
});
