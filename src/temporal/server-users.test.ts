import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { addUser, listOtherUsers } from './server-users.ts';

describe('the users of a local server', () => {
  test('are processes that live; another one with the id of a user that was killed is none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-users-'));
    addUser(folder);
    const users = join(folder, 'temporal.users');
    const parent = String(process.ppid);
    writeFileSync(join(users, parent), '');
    assert.deepEqual(listOtherUsers(folder), [process.ppid], 'of a version that noted no time');
    if (process.platform === 'linux') {
      assert.match(readFileSync(join(users, String(process.pid)), 'utf8'), /^\d+$/);
      writeFileSync(join(users, parent), '1');
      assert.deepEqual(listOtherUsers(folder), []);
      assert.deepEqual(readdirSync(users), [String(process.pid)]);
    }
  });
});
