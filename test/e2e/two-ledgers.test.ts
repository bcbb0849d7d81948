import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Client, Connection } from '@temporalio/client';
import { startService } from '../../service/serve.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { getAccountTotals, listRuns } from '../../src/ledger/reports/totals.ts';
import type { AccountId, WatchId } from '../../src/submission/ids.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal-api/search-attributes.ts';
import { courier, publish } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { AMPLE } from '../support/service.ts';
import { lira, openShopFolder } from '../support/shop-folder.ts';
import { temporalAddress } from '../support/temporal.ts';

async function inspect(folder: string) {
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
  try {
    const totals = await getAccountTotals(ledger, 'main' as AccountId);
    return { id: ledger.id, charged: totals.chargedEver, runs: await listRuns(ledger, 'shop' as WatchId) };
  } finally {
    await ledger.close();
  }
}

describe('two ledgers', () => {
  test('two configurations with equal names in one namespace do only their own work', async (t) => {
    const temporal = await temporalAddress(t);
    const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
    t.after(() => service.close());
    const folders = [await openShopFolder(t, service, temporal), await openShopFolder(t, service, temporal)] as const;
    publish(
      folders[0],
      Array.from({ length: 12 }, (_, n) => `a${n}`),
    );
    publish(
      folders[1],
      Array.from({ length: 30 }, (_, n) => `b${n}`),
    );

    const runs = await Promise.all(folders.map((folder) => courier(folder, 'run', '--once')));

    assert.deepEqual(
      runs.map(({ code }) => code),
      [0, 0],
      runs.map(({ stderr }) => stderr).join('\n'),
    );
    const [first, second] = [await inspect(folders[0]), await inspect(folders[1])];
    assert.notEqual(first.id, second.id);
    assert.deepEqual([first.charged, second.charged], [lira('3'), lira('7.5')]);
    for (const { id, runs } of [first, second]) {
      assert.deepEqual(
        runs.map(({ run }) => run.split('/').slice(0, 3).join('/')),
        [`watch/${id}/shop`],
      );
    }
    const connection = await Connection.connect({ address: temporal });
    t.after(() => connection.close());
    const client = new Client({ connection });
    const query = `${SEARCH_ATTRIBUTES.ledger.name} = '${first.id}'`;
    const ids: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
    assert.ok(ids.length >= 3, ids.join(', '));
    assert.ok(
      ids.every((each) => each.split('/')[1] === first.id),
      ids.join(', '),
    );
  });

  test('a ledger whose key belongs to another account sends nothing and says how to continue', async (t) => {
    const temporal = await temporalAddress(t);
    const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
    t.after(() => service.close());
    const folder = await openShopFolder(t, service, temporal);
    publish(folder, ['1', '2']);
    assert.equal((await courier(folder, 'run', '--once')).code, 0);
    const own = readFileSync(join(folder, 'key'), 'utf8');
    const { id } = await service.accounts.createAccount({
      name: 'Another',
      balance: lira('1000'),
      price: lira('0.25'),
    });
    writeFileSync(join(folder, 'key'), (await service.accounts.createKey({ account: id })).apiKey);
    publish(folder, ['1', '2', '3']);

    for (const command of [['run', '--once'], ['recover']]) {
      const refused = await courier(folder, ...command);
      assert.equal(refused.code, 2, `${command.join(' ')}: ${refused.stderr}`);
      assert.match(refused.stderr, /belongs to another account .* Nothing is sent.*courier accounts move main/);
    }
    assert.equal((await inspect(folder)).charged, lira('0.5'));

    const elsewhere = readFileSync(join(folder, 'courier.yaml'), 'utf8').replace('127.0.0.1', 'localhost');
    writeFileSync(join(folder, 'moved.yaml'), elsewhere);
    writeFileSync(join(folder, 'key'), own);
    const moved = await courier(folder, 'plan', '--config', 'moved.yaml');
    assert.equal(moved.code, 2, moved.stderr);
    assert.match(moved.stderr, /belongs to http:..127.0.0.1.*names http:..localhost.*courier accounts move main/);
    assert.equal((await courier(folder, 'accounts', 'move', 'main', '--config', 'moved.yaml')).code, 0);
    assert.equal((await courier(folder, 'run', '--once', '--config', 'moved.yaml')).code, 0);
    assert.equal((await inspect(folder)).charged, lira('0.75'));
  });
});
