/**
 * `npm run load:postgres-faults -- --terminations 200 --restarts 10`: a service process under load while the connections to
 * its Postgres are ended and the server is restarted. Starts a Postgres of its own. Fails when the process ends, an
 * answer is a 500, a key is charged twice or not at all, the audit finds a difference, or the first success after a
 * restart takes longer than two seconds.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseTry } from '../../contract/money.ts';
import { openAdministration } from '../../service/serve.ts';
import { openDatabase } from '../../src/database/open.ts';
import { sql } from '../../src/database/sql.ts';
import { findPostgresPrograms, startPostgres } from '../support/postgres-server.ts';
import { AMPLE, TestClient } from '../support/service.ts';
import { serveProcess } from '../support/service-processes.ts';

const { values } = parseArgs({
  options: { terminations: { type: 'string', default: '200' }, restarts: { type: 'string', default: '10' } },
});
const CLIENTS = 8;
const ROUND_MS = 100;
const BETWEEN_RESTARTS_MS = 1_000;
const FIRST_SUCCESS_MS = 2_000;

const programs = findPostgresPrograms();
if (programs === null) throw new Error('Postgres is not installed: this needs its programs');
const postgres = await startPostgres(programs);
const folder = mkdtempSync(join(tmpdir(), 'courier-load-'));
const config = join(folder, 'service.yaml');
const budgets = Object.entries(AMPLE).map(([name, { limit, windowMs }]) => [name, { limit, window_ms: windowMs }]);
writeFileSync(config, JSON.stringify({ budgets: Object.fromEntries(budgets) }));

const { accounts, operations, close } = await openAdministration(postgres.url);
const [balance, price] = [parseTry('1000000'), parseTry('0.25')];
if (balance === null || price === null) throw new Error('no amount');
const { id } = await accounts.createAccount({ name: 'load', balance, price });
const { apiKey } = await accounts.createKey({ account: id });
const { child, baseUrl } = await serveProcess(postgres.url, config);
let exited = false;
child.once('exit', () => {
  exited = true;
});

const statuses = new Map<string, number>();
const accepted = new Set<string>();
let lastSuccess = 0;
let running = true;
const count = (what: string) => statuses.set(what, (statuses.get(what) ?? 0) + 1);

/** Submits with a new key each time, and repeats a key until the answer is final. */
async function submit(): Promise<void> {
  const client = new TestClient(baseUrl, apiKey);
  while (running && !exited) {
    const key = randomUUID();
    for (let done = false; !done && !exited; ) {
      const answer = await client
        .post('/submissions', key, { urls: [`https://shop.example/${key}`] })
        .catch(() => null);
      count(answer === null ? 'no answer' : `${answer.status} ${answer.body.error?.code ?? ''}`.trim());
      done = answer !== null && answer.status < 500;
      if (!done) await sleep(50);
      else if (answer !== null && answer.status <= 202) {
        lastSuccess = performance.now();
        accepted.add(key);
      }
    }
  }
}

const failures: string[] = [];
const check = (what: string, fine: boolean) => void (fine || failures.push(what));
const clients = Array.from({ length: CLIENTS }, submit);
const control = openDatabase(postgres.url);
await sleep(1_000);

for (let round = 0; round < Number(values.terminations) && !exited; round++) {
  await control.all(sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`);
  await sleep(ROUND_MS);
}
await control.close();
const afterTerminations = Object.fromEntries(statuses);

const returns: number[] = [];
for (let restart = 0; restart < Number(values.restarts) && !exited; restart++) {
  await postgres.restart();
  const back = performance.now();
  while (lastSuccess < back && performance.now() - back < 30_000 && !exited) await sleep(10);
  returns.push(Math.round((lastSuccess >= back ? lastSuccess : performance.now()) - back));
  await sleep(BETWEEN_RESTARTS_MS);
}
running = false;
await Promise.all(clients);

const db = openDatabase(postgres.url);
const { found } = await db.one(sql<{ found: number }>`SELECT count(*) AS found FROM submissions`);
const account = await accounts.account('load');
check('the process ended', !exited);
check('an answer was a 500', ![...statuses.keys()].some((status) => status.startsWith('500')));
check(`${accepted.size} keys were accepted and ${found} submissions are there`, accepted.size === found);
check('the balance is not that of the accepted keys', account.balance === balance - price * accepted.size);
check('the audit found a difference', (await operations.audit()).length === 0);
check(
  'a first success took too long',
  returns.every((ms) => ms <= FIRST_SUCCESS_MS),
);
process.stdout.write(
  `${JSON.stringify({ afterTerminations, statuses: Object.fromEntries(statuses), accepted: accepted.size, firstSuccessMs: returns, failures }, null, 1)}\n`,
);
await db.close();
await close();
child.kill('SIGTERM');
await postgres.stop();
rmSync(folder, { recursive: true, force: true });
process.exitCode = failures.length === 0 ? 0 : 1;
