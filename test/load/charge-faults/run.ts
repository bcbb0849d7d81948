import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { findDifferences } from '../../../service/operations/audit.ts';
import { openAdministration } from '../../../service/serve.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { sql } from '../../../src/database/sql.ts';
import type { Cleanup } from '../../support/cleanup.ts';
import { type Dialect, emptyDatabaseUrl } from '../../support/database.ts';
import { openSearchApi, type SearchAnswer } from '../../support/search-api.ts';
import { seeded } from '../../support/seeded.ts';
import { AMPLE, lira } from '../../support/service.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { type Fault, faultsOf, OPERATIONS, type Operation, planRounds, type Round } from './plan.ts';

const PRICE = lira('0.25');
const CHECK_PRICE = lira('0.5');
/** The shortest that the service accepts with a provider: its queries, then five seconds for their answers. */
const TIMEOUT_MS = 5_200;
/** Much longer than a charge may stand while the service lives. */
const LEASE_MS = 60_000;
/** Storing a result is retried for five seconds, then its charge is restored within seconds. */
const SETTLED_MS = TIMEOUT_MS + 5_000 + 5_000;
const ANSWER_MS = 20_000;

/** The answers that leave open whether something was charged. Every other error says that nothing was. */
const UNCERTAIN = ['outcome_unknown', 'request_in_progress', 'internal_error'];

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly replayed: boolean;
  readonly id: string;
}

export interface Summary {
  readonly faults: number;
  /** Faults that were met before the operation had ended. */
  readonly met: number;
  /** Answers to the first request of each round, with how many of them. */
  readonly answers: Readonly<Record<string, number>>;
  readonly kills: number;
  /** The longest from a fault to the final answer, without the starts of a killed service. */
  readonly slowestMs: number;
  readonly failures: readonly string[];
}

export interface FaultOptions {
  readonly faults: number;
  readonly seed: number;
  readonly slow: boolean;
  readonly onRound?: (done: number) => void;
}

/**
 * Submits and checks under faults at every step, one request at a time. After each it compares the answer with the
 * database, repeats the same key until it is final, and compares again: one charge, or what the answer said.
 */
export async function runChargeFaults(t: Cleanup, dialect: Dialect, options: FaultOptions): Promise<Summary> {
  const random = seeded(options.seed);
  const url = emptyDatabaseUrl(t, dialect);
  const { accounts, close } = await openAdministration(url);
  const { id: account } = await accounts.createAccount({ name: 'faults', balance: lira('1000000'), price: PRICE });
  const { apiKey } = await accounts.createKey({ account });
  await close();
  const control = openDatabase(url);
  t.after(() => control.close());
  let provide: (query: string) => Promise<SearchAnswer> = async () => true;
  const brave = await openSearchApi(t, (query) => provide(query));
  const service = await startFaultyService(t, control, url, {
    budgets: AMPLE,
    postgres: { statementMs: 500, lockMs: 300, idleMs: 2_000 },
    indexCheck: { provider: 'brave', brave, timeoutMs: TIMEOUT_MS, leaseMs: LEASE_MS, waitMs: 200 },
  });

  const failures: string[] = [];
  const answers = new Map<string, number>();
  let [kills, met, slowestMs, aheadMs] = [0, 0, 0, 0];
  const getBalance = async (): Promise<number> =>
    (await control.one(sql<{ balance: number }>`SELECT balance FROM accounts WHERE id = ${account}`)).balance;

  const toRequest = (operation: Operation, key: string, urls: number) => ({
    path: operation === 'submission' ? '/submissions' : '/index-check',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({
      urls: Array.from({ length: urls }, (_, index) => `https://shop.example/${key}/${index === 0 ? 'first' : index}`),
    }),
  });

  /** How many statements an operation runs when nothing fails. */
  async function countSteps(operation: Operation): Promise<number> {
    const counts: number[] = [];
    // The least of some: work in the background, and the first request of a connection, run more.
    for (let run = 0; run < 5; run++) {
      await service.arm(0, dialect === 'sqlite' ? 'busy' : 'cut-before');
      await send(service, toRequest(operation, `count-${operation}-${run}`, 7));
      counts.push(await service.disarm());
    }
    return Math.min(...counts);
  }

  async function play({ operation, urls, fault }: Round, number: number): Promise<void> {
    const key = `round-${number}-${operation}`;
    const request = toRequest(operation, key, urls);
    const what = `round ${number}: ${operation} of ${urls} with ${JSON.stringify(fault)}`;
    const fail = (message: string) => void failures.push(`${what}: ${message}`);
    const partial = fault.of === 'provider' && fault.fault === 'partial';
    const price = operation === 'submission' ? PRICE : CHECK_PRICE;
    // A check of one URL without an answer is not carried out: nothing is charged until the provider answers.
    const expected = price * (partial && urls > 1 ? urls - 1 : urls);
    const before = await getBalance();
    provide = (query) => answerQuery(fault, query);
    if (fault.of === 'storage') await service.arm(fault.step, fault.fault);
    const began = performance.now();
    const answer =
      fault.of === 'client' ? await sendAndLeave(service, request, fault.fault) : await send(service, request);
    const steps = fault.of === 'storage' ? await service.disarm() : 0;
    const charged = before - (await getBalance());
    const name = answer === null ? 'no answer' : `${answer.status} ${answer.code}`.trim();
    answers.set(name, (answers.get(name) ?? 0) + 1);
    if (fault.of !== 'storage' || steps === 0 || steps >= fault.step) met++;
    const revived = await service.revive(aheadMs + LEASE_MS + 1_000);
    if (revived) {
      aheadMs += LEASE_MS + 1_000;
      kills++;
    }
    if (answer === null) {
      if (fault.of !== 'client' && !revived) fail('no answer');
    } else if (answer.code === '') {
      if (charged !== expected) fail(`answered ${name}, but ${charged} were charged`);
    } else if (!UNCERTAIN.includes(answer.code)) {
      if (charged !== 0) fail(`answered ${name}, "${answer.message}", but ${charged} were charged`);
      if (!/nothing was charged|no charge stands/i.test(answer.message)) fail(`does not say so: ${answer.message}`);
    }
    if (answer?.status === 500) fail(`answered 500, ${answer.message}`);

    if (!(partial && urls > 1)) provide = async () => true;
    const again = performance.now();
    const final = await repeatUntilFinal(request);
    const tookMs = performance.now() - (revived ? again : began);
    slowestMs = Math.max(slowestMs, tookMs);
    if (final?.code !== '') fail(`the same key ended with ${final?.status} ${final?.message}`);
    if (tookMs > SETTLED_MS) fail(`settled after ${Math.round(tookMs)} ms`);
    const total = before - (await getBalance());
    if (total !== expected) fail(`${total} were charged in all, not ${expected}`);
    const replay = await send(service, request);
    if (replay?.status !== 200 || !replay.replayed || replay.id !== final?.id) fail('the replay is another outcome');
    if (operation === 'submission') {
      const { stored } = await control.one(sql<{ stored: number }>`
        SELECT count(*) AS stored FROM submission_urls AS u JOIN submissions AS s ON s.id = u.submission_id
        WHERE s.idempotency_key = ${key}`);
      if (stored !== urls) fail(`${stored} URLs are stored`);
    }
  }

  async function repeatUntilFinal(request: Request): Promise<Answer | null> {
    for (const end = performance.now() + 2 * SETTLED_MS; ; await sleep(50)) {
      const answer = await send(service, request);
      const isFinal = answer !== null && answer.status !== 503 && answer.code !== 'request_in_progress';
      if (isFinal || performance.now() > end) return answer;
    }
  }

  const steps = { submission: 0, check: 0 };
  for (const operation of OPERATIONS) steps[operation] = await countSteps(operation);
  const next = planRounds({ random, steps, faults: faultsOf(dialect), slow: options.slow });
  for (let number = 1; number <= options.faults; number++) {
    await play(next(), number);
    options.onRound?.(number);
  }
  for (const difference of await findDifferences(control)) failures.push(`audit: ${JSON.stringify(difference)}`);
  return {
    faults: options.faults,
    met,
    answers: Object.fromEntries([...answers].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    kills,
    slowestMs: Math.round(slowestMs),
    failures,
  };
}

/** What the search API does under a fault: `partial` knows nothing of the first URL alone. */
async function answerQuery(fault: Fault, query: string): Promise<SearchAnswer> {
  if (fault.of !== 'provider') return true;
  switch (fault.fault) {
    case 'error':
      return 500;
    case 'partial':
      return query.endsWith('/first') ? 400 : true;
    case 'timeout':
      return sleep(2 * TIMEOUT_MS, true);
    default:
      return fault.fault;
  }
}

interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer, or null when there is none. */
async function send({ baseUrl }: FaultyService, request: Request, signal?: AbortSignal): Promise<Answer | null> {
  const { path, headers, body } = request;
  const limit = AbortSignal.timeout(ANSWER_MS);
  try {
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers,
      body,
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    const answer = (await response.json()) as {
      message: string;
      error?: { code: string };
      data: { id?: string; reference?: string } | null;
    };
    return {
      status: response.status,
      code: answer.error?.code ?? '',
      message: answer.message,
      replayed: response.headers.get('idempotent-replayed') === 'true',
      id: answer.data?.reference ?? answer.data?.id ?? '',
    };
  } catch {
    return null;
  }
}

/** Sends a request and closes the connection: in the middle of the body, or so many milliseconds after it. */
async function sendAndLeave(service: FaultyService, request: Request, when: 'half body' | number) {
  if (typeof when === 'number') return send(service, request, AbortSignal.timeout(when));
  const { path, headers, body } = request;
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const lines = Object.entries({ ...headers, host: hostname, 'content-length': body.length });
  socket.write(`POST /api/v1${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  socket.write(body.slice(0, body.length / 2));
  await sleep(20);
  socket.destroy();
  return null;
}
