import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openService, urlList } from '../../test/support/service.ts';
import { runService } from '../../test/support/service-processes.ts';
import { SERVICE_OUTPUT } from './records.ts';

// `runService` checks each record against those that are published for its command. Here every command is asked once.

const NAMED = ['--name', 'published'] as const;

describe('the published records of courier-service', () => {
  test('are printed by every command that succeeds', async (t) => {
    const { client, url } = await openService(t, 'sqlite');
    const done = new Set<string>();
    const run = async (command: string, ...args: string[]) => {
      done.add(command);
      const ran = await runService(...command.split(' '), ...args, '--database', url);
      assert.equal(ran.code, 0, `${command}: ${ran.stderr}`);
      return ran.records[1] ?? {};
    };
    await run('account create', ...NAMED, '--price', '0.25');
    await run('account list');
    await run('account suspend', ...NAMED, '--reason', 'unpaid');
    await run('account resume', ...NAMED);
    await run('account top-up', ...NAMED, '--amount', '5', '--reference', 'invoice 1');
    await run('account adjust', ...NAMED, '--amount', '-5', '--reason', 'typing error', '--reference', 'case 1');
    await run('account set-price', ...NAMED, '--price', '0.30');
    await run('account prices', ...NAMED);
    await run('account statement', ...NAMED, '--from', '2026-01-01', '--to', '2036-01-01');
    await run('account events', ...NAMED);
    await run('account reset-password', ...NAMED);
    await run('account reset-link', ...NAMED);
    const key = await run('key create', '--account', 'published');
    await run('key list', '--account', 'published');
    const next = await run('key regenerate', String(key.id));
    await run('key revoke', String(next.id));
    const { body } = await client.post('/submissions', 'published-records-1', { urls: urlList(2) });
    const { reference } = body.data;
    await run('submission show', reference);
    await run('submission requeue', reference);
    await run('submission fail', reference, '--reason', 'test', '--no-refund');
    await run('refund', reference, '--reason', 'test');
    await run('events', '--after', '0');
    await run('audit');
    const folder = mkdtempSync(join(tmpdir(), 'courier-published-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const copy = await run('backup', join(folder, 'copy.db'));
    assert.equal(copy.bytes, statSync(join(folder, 'copy.db')).size);
    await run('account close', ...NAMED, '--reason', 'test');
    assert.deepEqual([...done, 'serve'].toSorted(), Object.keys(SERVICE_OUTPUT).toSorted(), 'every command was asked');
  });

  test('are printed on failure: the version and an error summary', async () => {
    for (const command of ['serve', 'account create', 'key revoke', 'audit']) {
      const { code, records } = await runService(...command.split(' '), '--no-such-option');
      assert.equal(code, 2, command);
      assert.deepEqual(
        records.map(({ type }) => type),
        ['version', 'summary'],
      );
      assert.match(String(records[1]?.error), /unknown option|missing required|required option/);
    }
  });
});
