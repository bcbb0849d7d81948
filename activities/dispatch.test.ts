import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Client, Connection } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createApiClient } from '../src/api-client/client.ts';
import { loadConfig } from '../src/config/load.ts';
import { sql } from '../src/database/sql.ts';
import { planRun } from '../src/ledger/plans/make-plan.ts';
import { createLogger } from '../src/observability/log.ts';
import { createLimitedClient } from '../src/rate-limit/limited-client.ts';
import { openRateLimits } from '../src/rate-limit/limiter.ts';
import { toRateLimits } from '../src/rate-limit/limits.ts';
import type { RunId } from '../src/submission/ids.ts';
import { isRetryLater } from '../src/temporal-api/retry-later.ts';
import { ACCOUNT, crawled, type TestLedger, testLedger, WATCH } from '../test/support/ledger.ts';
import type { Deps } from './deps.ts';
import { dispatchActivities } from './dispatch.ts';

/** What the service answers, by method: a status with an error, or data. */
type Answers = Record<'GET' | 'POST', { readonly status: number; readonly code: string }>;

const refusal = (status: number, code: string) => ({ status, code });

/** The dispatcher's activities over a ledger with one planned batch, and a service that answers as `answers` says. */
async function dispatcher(ledger: TestLedger, t: TestContext, answers: Answers) {
  const server = createServer((request, response) => {
    const { status, code } = answers[request.method as 'GET' | 'POST'];
    const body = { success: false, status: 'error', message: code, data: null, error: { code, message: code } };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'courier-dispatch-'));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
    server.close();
    server.closeAllConnections();
  });
  const file = join(folder, 'courier.yaml');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  writeFileSync(
    file,
    [
      'version: 1',
      `accounts: { ${ACCOUNT.id}: { base_url: "${baseUrl}", api_key: { env: NONE }, price_per_url: 0.25 TRY } }`,
      `watches: { ${WATCH.id}: { account: ${ACCOUNT.id}, first_run: submit, sitemaps: ["https://shop.example/s.xml"] } }`,
    ].join('\n'),
  );
  const config = loadConfig(file);
  const account = config.accounts.get(ACCOUNT.id)!;
  const watch = config.watches.get(WATCH.id)!;
  const budgets = await openRateLimits(`sqlite:${join(folder, 'budgets.db')}`);
  const client = createApiClient({ baseUrl, apiKey: () => 'key' });
  t.after(() => Promise.all([budgets.close(), client.close()]));
  const api = createLimitedClient(
    client,
    budgets.getLimiter(ACCOUNT.id, toRateLimits(account.limits, account.limits.minuteMs)),
  );
  const deps: Deps = {
    config,
    getWatch: () => watch,
    getAccount: () => account,
    getApi: () => api,
    getJobStatusLoader: () => assert.fail('no job is followed here'),
    getTracked: () => new Set(),
    ledger,
    client: new Client({ connection: Connection.lazy() }),
    log: createLogger('error', 'test'),
    now: ledger.now,
    random: () => 0.5,
    stopping: new AbortController().signal,
  };
  await crawled(ledger, 'r1', { a: ['1', '2'] });
  await planRun(ledger, 'r1' as RunId, { watch, account });
  const { sendNextBatch, awaitMoney } = dispatchActivities(deps);
  const run = <T>(activity: (input: { account: typeof ACCOUNT.id }) => Promise<T>): Promise<T> =>
    new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run(activity, { account: ACCOUNT.id });
  return { send: () => run(sendNextBatch), awaitMoney: () => run(awaitMoney) };
}

const batches = (ledger: TestLedger) =>
  ledger.db.all(sql<{ state: string; reason: string | null }>`SELECT state, reason FROM batches`);

testLedger('a key refused while a batch is looked up stops the account, not the dispatcher', async (ledger, t) => {
  const answers: Answers = { POST: refusal(409, 'idempotency_conflict'), GET: refusal(401, 'unauthorized') };
  const { send } = await dispatcher(ledger, t, answers);
  assert.equal((await send()).kind, 'sent');
  assert.equal((await send()).kind, 'key_rejected');
  assert.deepEqual((await batches(ledger))[0]?.state, 'sending', 'it is looked up again when the key works');
});

testLedger(
  'a list that refuses to be asked leaves the batch to a person and does not hold up others',
  async (ledger, t) => {
    const answers: Answers = { POST: refusal(409, 'idempotency_conflict'), GET: refusal(400, 'bad_request') };
    const { send } = await dispatcher(ledger, t, answers);
    assert.equal((await send()).kind, 'sent');
    assert.equal((await send()).kind, 'sent');
    const [batch] = await batches(ledger);
    assert.equal(batch?.state, 'needs_review');
    assert.match(batch?.reason ?? '', /nothing is sent again/);
    assert.equal((await send()).kind, 'idle');
  },
);

testLedger('a key refused while the account waits for money is waited out', async (ledger, t) => {
  const answers: Answers = { POST: refusal(402, 'insufficient_balance'), GET: refusal(401, 'unauthorized') };
  const { send, awaitMoney } = await dispatcher(ledger, t, answers);
  assert.equal((await send()).kind, 'suspended');
  await assert.rejects(awaitMoney(), (error) => error instanceof ApplicationFailure && isRetryLater(error));
});
