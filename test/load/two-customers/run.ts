import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openAdministration } from '../../../service/serve.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { dialectal, raw, sql } from '../../../src/database/sql.ts';
import type { Cleanup } from '../../support/cleanup.ts';
import { type Dialect, emptyDatabaseUrl } from '../../support/database.ts';
import { lira } from '../../support/service.ts';
import { serveProcess } from '../../support/service-processes.ts';
import { HOSTILE_ACTS, type HostileAct } from './acts.ts';

const RATE = 50;
/** One request in five is a submission. */
const SUBMISSION_EVERY = 5;
/** What the quiet customer needs; the hostile one has used it up before the first measurement. */
const MINUTE_LIMIT = RATE * 60 + 500;
const HOSTILE_KEYS = 20;

export interface Phase {
  readonly phase: string;
  readonly requests: number;
  /** Answers to the quiet customer that were no success: statuses, or why there was none. */
  readonly failed: readonly string[];
  readonly p50: number;
  readonly p99: number;
  /** Of p99 to that of the same customer alone, measured just before. */
  readonly ratio: number;
  readonly rssMb: number;
}

export interface TwoCustomersOptions {
  /** Of each phase. */
  readonly seconds: number;
  /** All of them when absent. */
  readonly acts?: readonly HostileAct[];
  readonly onPhase: (phase: Phase) => void;
}

/** What one customer's requests take, alone and beside a hostile customer. */
export async function runTwoCustomers(
  t: Cleanup,
  dialect: Dialect,
  { seconds, acts: chosen = HOSTILE_ACTS, onPhase }: TwoCustomersOptions,
): Promise<readonly Phase[]> {
  const url = emptyDatabaseUrl(t, dialect);
  const { accounts, close } = await openAdministration(url);
  const makeKeys = async (name: string, count: number) => {
    const { id, password } = await accounts.createAccount({ name, balance: lira('100000'), price: lira('0.001') });
    const keys: string[] = [];
    for (let made = 0; made < count; made++) keys.push((await accounts.createKey({ account: id })).apiKey);
    return { id, name, password, keys };
  };
  const quiet = await makeKeys('quiet', 1);
  const hostile = await makeKeys('hostile', HOSTILE_KEYS);
  await close();
  await fillSubmissions(url, hostile.id);
  const { child: service, baseUrl } = await serveProcess(url, writeConfig(t));
  t.after(async () => {
    service.kill('SIGKILL');
    await once(service, 'exit');
  });
  const program = fileURLToPath(new URL('hostile.ts', import.meta.url));
  const attacker = fork(program, [baseUrl, hostile.name, hostile.password, ...hostile.keys], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  t.after(() => attacker.kill('SIGKILL'));
  const control = openDatabase(url);
  t.after(() => control.close());

  async function attack(acts: readonly HostileAct[]): Promise<void> {
    attacker.send(acts);
    await once(attacker, 'message');
  }
  const customer = new QuietCustomer(baseUrl, quiet.keys[0] ?? '');
  t.after(() => customer.close());
  const phases: Phase[] = [];

  async function measure(phase: string, acts: readonly HostileAct[], alone?: number): Promise<number> {
    let unlock = () => {};
    if (acts.includes('locked rows')) {
      const unlocked = new Promise<void>((resolve) => {
        unlock = resolve;
      });
      const locked = control.tx(async (tx) => {
        await tx.all(sql`SELECT 1 FROM accounts WHERE id = ${hostile.id} FOR UPDATE`);
        await unlocked;
      });
      void locked.catch(() => undefined);
    }
    await attack(acts);
    await sleep(1_000);
    const { times, failed, rssMb } = await customer.run(seconds, service.pid ?? 0);
    unlock();
    await attack([]);
    // What the service has begun is over, and its memory is given back.
    await sleep(1_500);
    times.sort((a, b) => a - b);
    const at = (share: number) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 10) / 10;
    const p99 = at(0.99);
    const ratio = Math.round((p99 / (alone ?? p99)) * 100) / 100;
    const measured = { phase, requests: times.length, failed, p50: at(0.5), p99, ratio, rssMb };
    phases.push(measured);
    onPhase(measured);
    return p99;
  }

  /** Alone and beside the acts, one after the other: the machine is not the same from minute to minute. */
  async function compare(phase: string, acts: readonly HostileAct[]): Promise<void> {
    await measure(phase, acts, await measure('alone', []));
  }

  // Its budget is used up, and the code of the service is warm.
  await attack(['over its limit']);
  await customer.run(6, service.pid ?? 0);
  await attack([]);
  const acts = chosen.filter((act) => dialect === 'postgres' || act !== 'locked rows');
  for (const act of acts) await compare(act, [act]);
  if (acts.length > 1) await compare('all at once', acts);
  return phases;
}

/** 1,000 submissions that the hostile customer has made, a hundred with 5,000 URLs. The keys of URLs are as good as random. */
async function fillSubmissions(url: string, account: number): Promise<void> {
  const db = openDatabase(url);
  const random = dialectal(raw('abs(random()) % 9007199254740991'), raw('CAST(random() * 9007199254740991 AS BIGINT)'));
  const padded = dialectal(raw("printf('%026d', i)"), raw("lpad(i::text, 26, '0')"));
  const bytes = dialectal(raw("x'00'"), raw("'\\x00'::bytea"));
  try {
    await db.run(sql`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO submissions (reference, account_id, idempotency_key, fingerprint, project, searchable, service, status,
        url_count, urls_completed, price, charged, created_at, ran_at, finished_at, dispatched_at)
      SELECT 'sub_' || ${padded}, ${account}, 'filled ' || i, ${bytes}, 'P', 'p', 'standard', 'completed', 5000, 5000, 0, 0, i, 0, i, i
      FROM n`);
    for (let from = 0; from < 5_000; from += 1_000) {
      await db.run(sql`
        WITH RECURSIVE n (i) AS (SELECT ${raw(String(from))} UNION ALL SELECT i + 1 FROM n WHERE i < ${raw(String(from + 999))})
        INSERT INTO submission_urls (submission_id, position, url, url_key, status)
        SELECT s.id, n.i, 'https://shop.example/products/' || s.id || '/' || n.i, ${random}, 'completed'
        FROM submissions AS s, n WHERE s.account_id = ${account} AND (n.i < 200 OR s.created_at <= 100)`);
    }
    if (db.dialect === 'postgres') await db.run(raw('ANALYZE submissions, submission_urls'));
  } finally {
    await db.close();
  }
}

function writeConfig(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'courier-load-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const wide = { limit: 1_000_000, window_ms: 3_600_000 };
  const budgets = { minute: { limit: MINUTE_LIMIT, window_ms: 60_000 }, hour: wide, day: wide, submissions: wide };
  writeFileSync(join(folder, 'service.yaml'), JSON.stringify({ budgets }));
  return join(folder, 'service.yaml');
}

/** Sends requests at a steady rate, whether or not the earlier ones were answered. */
class QuietCustomer {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });
  readonly #baseUrl: string;
  readonly #key: string;
  #sent = 0;

  constructor(baseUrl: string, key: string) {
    this.#baseUrl = baseUrl;
    this.#key = key;
  }

  async run(seconds: number, pid: number): Promise<{ times: number[]; failed: string[]; rssMb: number }> {
    const times: number[] = [];
    const answers: Promise<string>[] = [];
    let rssMb = 0;
    const start = performance.now();
    for (let index = 0; index < seconds * RATE; index++) {
      await sleep(Math.max(0, start + (index * 1_000) / RATE - performance.now()));
      const began = performance.now();
      answers.push(
        this.#send().then((answer) => {
          times.push(performance.now() - began);
          return answer;
        }),
      );
      if (index % RATE === 0) rssMb = Math.max(rssMb, readRssMb(pid));
    }
    const failed = (await Promise.all(answers)).filter((answer) => !/^20[02]$/.test(answer));
    return { times, failed, rssMb };
  }

  close(): void {
    this.#agent.destroy();
  }

  /** The status of the answer, or why there is none. */
  #send(): Promise<string> {
    const number = ++this.#sent;
    const isSubmission = number % SUBMISSION_EVERY === 0;
    const body = JSON.stringify({ url: `https://quiet.example/${number}` });
    const { promise, resolve } = Promise.withResolvers<string>();
    const sent = request(
      `${this.#baseUrl}/${isSubmission ? 'submissions' : 'balance'}`,
      {
        agent: this.#agent,
        method: isSubmission ? 'POST' : 'GET',
        headers: {
          'x-api-key': this.#key,
          ...(isSubmission
            ? {
                'content-type': 'application/json',
                'idempotency-key': `quiet-key-${number}`,
                'content-length': body.length,
              }
            : {}),
        },
      },
      (response) => {
        response.resume().on('end', () => resolve(String(response.statusCode)));
      },
    );
    sent.on('error', (error) => resolve(error.message)).end(isSubmission ? body : undefined);
    return promise;
  }
}

const readRssMb = (pid: number): number =>
  Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024);
