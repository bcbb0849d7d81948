import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe } from 'node:test';
import { setTimeout as passed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startFakeService } from '../../../test/fakes/service/fake-service.ts';
import { emptyDatabaseUrl, testOnEachDialect } from '../../../test/support/database.ts';
import { ACCOUNT } from '../../../test/support/ledger.ts';
import { runOnce, sendAndPoll } from '../../../test/support/processes/ledger-worker.ts';
import { createApiClient } from '../../api-client/client.ts';
import { sql } from '../../database/sql.ts';
import { openLedger } from '../open-ledger.ts';
import { listPendingBatches } from './batch-queries.ts';

const KILLS = Number(process.env.COURIER_TEST_LEDGER_KILLS ?? 6);

describe('workers that are killed', () => {
  testOnEachDialect(`two workers that are killed at random ${KILLS} times charge each URL once`, async (t, dialect) => {
    const url = emptyDatabaseUrl(t, dialect);
    const service = await startFakeService(t);
    await (await openLedger(url)).close();

    const worker = async (): Promise<ChildProcess> => {
      const script = fileURLToPath(new URL('../../../test/support/processes/ledger-worker.ts', import.meta.url));
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, url, service.baseUrl], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      t.after(() => child.kill('SIGKILL'));
      await once(child.stdout!, 'data');
      return child;
    };
    const workers = await Promise.all([worker(), worker()]);
    // On a busy machine a worker may be killed before it did anything: then it takes more kills until there is work done.
    for (let kill = 0; kill < KILLS || service.jobs.length < 3; kill++) {
      // A random wait is the fault itself, not a wait for something.
      await passed(20 + Math.random() * 150);
      const at = kill % 2;
      assert.equal(workers[at]!.exitCode, null, 'a worker exited by itself');
      const dead = once(workers[at]!, 'exit');
      workers[at]!.kill('SIGKILL');
      assert.deepEqual(await dead, [null, 'SIGKILL']);
      workers[at] = await worker();
    }
    for (const child of workers) {
      assert.equal(child.exitCode, null, 'a worker exited by itself');
      const dead = once(child, 'exit');
      child.kill('SIGKILL');
      await dead;
    }

    const ledger = await openLedger(url);
    t.after(() => ledger.close());
    const client = createApiClient({ baseUrl: service.baseUrl, apiKey: () => 'any-key' });
    t.after(() => client.close());
    await runOnce(ledger);
    while ((await listPendingBatches(ledger, ACCOUNT.id)).batches.length > 0) await sendAndPoll(ledger, client);
    assert.deepEqual(service.breaches, []);
    const charged = [...service.charges.values()];
    assert.ok(charged.length >= 30, 'too little was done: this test would prove nothing');
    assert.ok(
      charged.every((times) => times === 1),
      'a URL was charged twice',
    );
    const sums = await ledger.db.get(sql<{ charged: number; urls: number }>`
    SELECT (SELECT sum(amount) FROM journal_totals WHERE day > 0) AS charged, (SELECT count(*) FROM urls) AS urls`);
    assert.deepEqual([sums!.charged, sums!.urls], [charged.length * 250_000, charged.length]);
    if (dialect === 'postgres') return;
    const check = await ledger.db.get(sql<{ integrity_check: string }>`PRAGMA integrity_check`);
    assert.equal(check!.integrity_check, 'ok');
  });
});
