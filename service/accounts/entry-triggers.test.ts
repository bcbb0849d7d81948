import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { raw, sql } from '../../src/database/sql.ts';
import { serviceTest, urlList } from '../../test/support/service.ts';
import { findDifferences } from '../operations/audit.ts';

describe('entries', () => {
  serviceTest('no statement changes or deletes an entry', async ({ client, db }) => {
    await client.post('/submissions', 'entries-stay-1', { urls: urlList(2) });
    const read = () => db.all(sql`SELECT * FROM entries ORDER BY id`);
    const before = await read();
    const attempts = [
      "UPDATE entries SET amount = amount + 1 WHERE kind = 'charge'",
      'UPDATE entries SET reason = NULL',
      "DELETE FROM entries WHERE kind = 'charge'",
      'DELETE FROM entries',
      ...(db.dialect === 'postgres' ? ['TRUNCATE entries CASCADE'] : []),
    ];
    for (const attempt of attempts)
      await assert.rejects(db.run(raw(attempt)), /entries are never changed or deleted/, attempt);
    assert.deepEqual(await read(), before);
    assert.deepEqual(await findDifferences(db), []);
  });
});
