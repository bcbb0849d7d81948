import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as passed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { emptyDatabaseUrl } from '../../../test/support/database.ts';
import { ACCOUNT } from '../../../test/support/ledger.ts';
import { night, turn } from '../../../test/support/processes/ledger-worker.ts';
import { sql } from '../../database/sql.ts';
import { openLedger } from '../open-ledger.ts';
import { listPendingBatches } from './pending-batches.ts';

const KILLS = Number(process.env.COURIER_LEDGER_KILLS ?? 6);

/** Takes every request, and charges each key once. */
function countingService() {
  const jobs = new Map<string, { body: string; reference: string; urls: string[] }>();
  const breaches: string[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const key = String(request.headers['idempotency-key']);
    const known = jobs.get(key);
    if (known !== undefined && known.body !== body) breaches.push(`key ${key} came with two bodies`);
    const { urls } = JSON.parse(body) as { urls: string[] };
    const job = known ?? { body, reference: `R-${jobs.size}`, urls };
    jobs.set(key, job);
    const data = { reference: job.reference, state: 'queued', charged: 250_000 * urls.length, pricePerUrl: null };
    response.end(
      JSON.stringify({
        endpoint: 'submit',
        status: known === undefined ? 202 : 200,
        body: { kind: 'success', data: { ...data, balance: null, urls: urls.length } },
        requestId: null,
        retryAfterMs: null,
        budgets: [],
        tookMs: 0,
      }),
    );
  });
  return { server, jobs, breaches };
}

test(`two workers killed at any moment, ${KILLS} times, charge every URL once`, async (t) => {
  const url = emptyDatabaseUrl(t, 'sqlite');
  const { server, jobs, breaches } = countingService();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const service = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await (await openLedger(url)).close();

  const worker = async (): Promise<ChildProcess> => {
    const script = fileURLToPath(new URL('../../../test/support/processes/ledger-worker.ts', import.meta.url));
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, url, service], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    await once(child.stdout!, 'data');
    return child;
  };
  const workers = await Promise.all([worker(), worker()]);
  // On a busy machine a worker may be killed before it did anything: then it takes more kills until there is work done.
  for (let kill = 0; kill < KILLS || jobs.size < 3; kill++) {
    // A random wait is the fault itself, not a wait for something.
    await passed(20 + Math.random() * 150);
    const at = kill % 2;
    assert.equal(workers[at]!.exitCode, null, 'a worker ended by itself');
    const dead = once(workers[at]!, 'exit');
    workers[at]!.kill('SIGKILL');
    assert.deepEqual(await dead, [null, 'SIGKILL']);
    workers[at] = await worker();
  }
  for (const child of workers) {
    assert.equal(child.exitCode, null, 'a worker ended by itself');
    const dead = once(child, 'exit');
    child.kill('SIGKILL');
    await dead;
  }

  const ledger = await openLedger(url);
  t.after(() => ledger.close());
  await night(ledger);
  while ((await listPendingBatches(ledger, ACCOUNT.id)).batches.length > 0) await turn(ledger, service);
  assert.deepEqual(breaches, []);
  const sent = [...jobs.values()].flatMap(({ urls }) => urls);
  assert.ok(sent.length >= 30, 'too little was done: this test would prove nothing');
  assert.equal(new Set(sent).size, sent.length, 'a URL was bought twice');
  const sums = await ledger.db.get(sql<{ charged: number; urls: number }>`
    SELECT (SELECT sum(amount) FROM charges) AS charged, (SELECT count(*) FROM urls) AS urls`);
  assert.deepEqual([sums!.charged, sums!.urls], [sent.length * 250_000, sent.length]);
  const check = await ledger.db.get(sql<{ integrity_check: string }>`PRAGMA integrity_check`);
  assert.equal(check!.integrity_check, 'ok');
});
