import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { openCommands, publish } from '../../../test/support/cli.ts';
import { shopUrl } from '../../../test/support/ledger.ts';
import { openService } from '../../../test/support/service.ts';
import { openShopFolder } from '../../../test/support/shop-folder.ts';

describe('a command that only reads a SQLite ledger', () => {
  test('answers while another process writes the plan of a large watch', async (t) => {
    const { service } = await openService(t, 'sqlite');
    const folder = await openShopFolder(t, service);
    publish(folder, ['a']);
    const courier = openCommands(t, folder);
    await courier('plan');
    const writer = new DatabaseSync(join(folder, 'ledger.db'));
    t.after(() => writer.close());
    // Until the test ends: a command that asked for the lock would give up after a minute.
    writer.exec('BEGIN IMMEDIATE');
    for (const command of [['status'], ['batches', 'list'], ['ledger', 'show', shopUrl('a')]]) {
      const { code, stderr } = await courier(...command);
      assert.equal(code, 0, `${command.join(' ')}: ${stderr}`);
    }
  });
});
