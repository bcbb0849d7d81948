import type { IncomingMessage } from 'node:http';
import { readConfig } from '../../../src/config/load.ts';
import { sql } from '../../../src/database/sql.ts';
import type { Ledger } from '../../../src/ledger/open-ledger.ts';
import { ledgerOver } from '../../../src/ledger/open-ledger.ts';
import type { BatchId, LedgerId, WatchId } from '../../../src/submission/ids.ts';
import { ACTIVITIES_OF } from '../../../src/temporal-api/duties.ts';
import { dispatcherWorkflowId, getTaskQueue } from '../../../src/temporal-api/ids.ts';
import { wakeSignal } from '../../../src/temporal-api/messages.ts';
import { WORKFLOW } from '../../../src/temporal-api/workflows.ts';
import { createApi } from '../../fakes/service/api.ts';
import { PLAIN } from '../../fakes/service/profile.ts';
import { createRecords, type FakeRecords } from '../../fakes/service/records.ts';
import { planBatch } from '../../simulation/plan-batches.ts';
import { seeded } from '../../support/seeded.ts';
import { Kernel, setKernel } from '../platform/kernel.ts';
import { type NetRequest, setNetwork, VirtualNetwork } from '../platform/network.ts';
import { createClient } from '../temporal/client.ts';
import type { PendingActivity } from '../temporal/pending-activity.ts';
import { VirtualTemporal } from '../temporal/server.ts';
import type { TakeSlot } from '../temporal/worker.ts';
import { onTerminal, WorkerProgram } from './programs.ts';
import { openStores, prepareStores, type Stores } from './stores.ts';

const MINUTE = 60_000;
const LANE = 10;
/** The service's answer to a submission, as one that is near. */
const QUICK_MS = 100;
const SLOW_MS = 30_000;
const JOB_MS = 90_000;
/** Jobs of the slow account that are open from the start, more than all workers together have slots for. */
const OPEN_JOBS = 500;
/** As a worker has them by default. */
const SLOTS = { crawl: 200, submit: 200, track: 200, check: 50 };

export type Trouble = 'none' | 'rejects the key' | 'no money' | 'answers after 30 s';
const TROUBLES: readonly Trouble[] = ['rejects the key', 'no money', 'answers after 30 s'];

export interface AccountsOptions {
  readonly accounts: number;
  readonly minutes: number;
  readonly workers: number;
}

export interface AccountPlayed {
  readonly account: string;
  readonly trouble: Trouble;
  readonly sent: number;
  /** Of the submissions that its lane allows. */
  readonly laneUse: number;
}

export interface AccountsPlayed {
  readonly accounts: readonly AccountPlayed[];
  /** 99% of the polls of accounts without trouble got a slot within this time. */
  readonly slotWaitMs: number;
  readonly polls: number;
  readonly breaches: readonly string[];
}

interface Served {
  readonly account: string;
  readonly trouble: Trouble;
  readonly records: FakeRecords;
  readonly sentAt: number[];
}

/** Accounts that all have batches waiting, three of which are in trouble, on workers with the slots of real ones. */
export async function playAccounts({ accounts, minutes, workers }: AccountsOptions): Promise<AccountsPlayed> {
  await prepareStores();
  const kernel = new Kernel(20, Date.UTC(2026, 2, 10));
  setKernel(kernel);
  process.env.SIMULATED_KEY = 'sk-accounts';
  const random = seeded(20);
  const latency = () => 1 + random() ** 3 * 20;
  const network = new VirtualNetwork({ kernel, latency, getFault: () => ({ kind: 'none' }) });
  setNetwork(network);
  const stores = openStores();
  const breaches: string[] = [];
  const temporal = new VirtualTemporal({
    ...{ kernel, latency, suggestAfter: 4_000, isSticky: true },
    onBreach: (text) => breaches.push(text),
  });
  const served = Array.from({ length: accounts }, (_, n) => serve(network, kernel, `a${n}`, TROUBLES[n] ?? 'none'));
  const config = readConfig(JSON.stringify(toConfig(served)), '/courier.yaml');
  const troubled = new Set(served.filter(({ trouble }) => trouble !== 'none').map(({ account }) => account));
  const slotWaits: number[] = [];
  const programs = Array.from(
    { length: workers },
    (_, n) =>
      new WorkerProgram(
        `worker-${n + 1}`,
        {
          ...{ kernel, network, getTemporal: () => temporal, mayStart: () => true, storageDelay: () => 0 },
          createSlots: () =>
            createSlots(kernel, (account, waitedMs) => {
              if (!troubled.has(account)) slotWaits.push(waitedMs);
            }),
        },
        () => stores.ledger,
        stores.budgets,
        () => config,
      ),
  );
  const id = readLedgerId(stores);
  try {
    let ready = false;
    kernel.schedule(0, null, () => {
      void onTerminal(async () => {
        const ledger = await ledgerOver(stores.ledger, Date.now);
        for (const each of served) await prepareAccount({ ledger, config }, each, minutes);
        for (const program of programs) program.start();
        const client = createClient(temporal, { name: 'operator', alive: true });
        for (const { account } of served) {
          await client.workflow.signalWithStart(WORKFLOW.dispatchAccount, {
            ...{ workflowId: dispatcherWorkflowId(id, account as never), taskQueue: getTaskQueue(id) },
            ...{ args: [{ account }], signal: wakeSignal },
          });
        }
        ready = true;
      });
    });
    await kernel.play(() => ready, MINUTE);
    await kernel.play(() => breaches.length > 0, minutes * MINUTE);
    for (const { records } of served) breaches.push(...records.breaches);
    slotWaits.sort((a, b) => a - b);
    return {
      accounts: served.map(({ account, trouble, sentAt }) => ({
        ...{ account, trouble, sent: sentAt.length },
        laneUse: Math.max(0, sentAt.length - LANE) / (LANE * (((sentAt.at(-1) ?? 0) - (sentAt[0] ?? 0)) / MINUTE)) || 0,
      })),
      slotWaitMs: slotWaits[Math.floor(slotWaits.length * 0.99)] ?? Number.POSITIVE_INFINITY,
      polls: slotWaits.length,
      breaches,
    };
  } finally {
    for (const program of programs) program.crash();
    let closed = false;
    const closing = stores.close().then(() => {
      closed = true;
    });
    await kernel.play(() => closed, MINUTE);
    await closing;
    setNetwork(null);
    setKernel(null);
  }
}

const readLedgerId = ({ read }: Stores): LedgerId =>
  (read.ledger.prepare(`SELECT value FROM ledger_settings WHERE name = 'ledger_id'`).get() as { value: LedgerId })
    .value;

const getOrigin = (account: string): string => `https://${account}.example`;

/** An account's own service. */
function serve(network: VirtualNetwork, kernel: Kernel, account: string, trouble: Trouble): Served {
  const now = () => kernel.now();
  const records = createRecords({
    ...{ reference: (n: number) => `R-${account}-${n}`, now, priceKurus: 25, keyLifeMs: 86_400_000, maxUrls: 5_000 },
    ...{ balanceKurus: trouble === 'no money' ? 0 : 100_000_000, refuses: () => false, jobMs: () => JOB_MS },
  });
  const api = createApi({
    ...{ records, profile: PLAIN, now, listLagMs: 0, namesBadUrls: false },
    isAuthorized: () => trouble !== 'rejects the key',
  });
  const sentAt: number[] = [];
  network.listen(getOrigin(account), {
    host: null,
    async answer({ method, path, headers, body }: NetRequest) {
      if (method === 'POST') sentAt.push(kernel.elapsed);
      const asked = { method, url: path, headers } as unknown as IncomingMessage;
      const { status, body: answer, headers: more = {} } = api.answer(asked, body.toString('utf8'), false);
      await kernel.sleep(trouble === 'answers after 30 s' ? SLOW_MS : QUICK_MS, null);
      return {
        status,
        headers: { 'content-type': 'application/json', ...more },
        body: Buffer.from(JSON.stringify(answer)),
      };
    },
  });
  return { account, trouble, records, sentAt };
}

/** Jobs are polled from a minute on, so that a few minutes show what polls do to each other. */
const toConfig = (served: readonly Served[]) => ({
  version: 1,
  accounts: Object.fromEntries(
    served.map(({ account }) => [
      account,
      {
        base_url: `${getOrigin(account)}/api/v1`,
        api_key: { env: 'SIMULATED_KEY' },
        price_per_url: '0.25 TRY',
        tracking: { fast: { first: '1m', min: '10s' } },
      },
    ]),
  ),
  watches: Object.fromEntries(
    served.map(({ account }) => [
      `w-${account}`,
      {
        ...{ account, project: `Project ${account}`, service: 'fast', first_run: 'submit', hosts: ['*'] },
        sitemaps: [`${getOrigin(account)}/sitemap.xml`],
      },
    ]),
  ),
});

/** Batches for all minutes, and the open jobs of the slow account, as copies of one batch. */
async function prepareAccount(
  planner: { readonly ledger: Ledger; readonly config: ReturnType<typeof readConfig> },
  { account, trouble, records }: Served,
  minutes: number,
): Promise<void> {
  const { db } = planner.ledger;
  await planBatch(planner, `w-${account}` as WatchId, `plan-${account}`, [`https://site.example/${account}`]);
  const { id } = await db.one(sql<{ id: BatchId }>`SELECT max(id) AS id FROM batches`);
  const { body } = await db.one(sql<{ body: string }>`SELECT body FROM batch_bodies WHERE batch_id = ${id}`);
  const copy = async (name: string, reference: string | null) => {
    const acceptedAt = reference === null ? null : Date.now() - 2 * MINUTE;
    await db.run(sql`
      INSERT INTO batches (account_id, watch_id, run_id, service, project, base_url, normalized_project, generation,
        idempotency_key, digest, tag, urls, expected_cost, price_basis, planned_at, state, reference, accepted_at, job_state)
      SELECT account_id, watch_id, run_id, service, project, base_url, normalized_project, generation,
        ${`copy-${account}-${name}`}, digest, tag, urls, expected_cost, price_basis, planned_at,
        ${reference === null ? 'planned' : 'accepted'}, ${reference}, ${acceptedAt}, ${reference === null ? null : 'queued'}
      FROM batches WHERE id = ${id}`);
  };
  for (let n = 0; n < (minutes + 2) * LANE; n++) await copy(`batch-${n}`, null);
  await db.run(sql`INSERT INTO batch_bodies (batch_id, body) SELECT id, ${body} FROM batches WHERE id > ${id}`);
  if (trouble !== 'answers after 30 s') return;
  for (let n = 0; n < OPEN_JOBS; n++) {
    const submitted = records.submit(`copy-${account}-open-${n}`, body);
    if (submitted.kind === 'done') await copy(`open-${n}`, submitted.result.reference);
  }
}

/** The slots of a worker, by duty, each given in the order in which activities ask. */
function createSlots(kernel: Kernel, onPoll: (account: string, waitedMs: number) => void): TakeSlot {
  const free = new Map(Object.entries(SLOTS));
  const waiting = new Map<string, (() => void)[]>();
  return (activity, begin) => {
    const duty = getDuty(activity);
    const askedAt = kernel.elapsed;
    const take = () => {
      free.set(duty, (free.get(duty) ?? 0) - 1);
      const [{ account = '' } = {}] = JSON.parse(activity.command.args) as { account?: string }[];
      if (duty === 'track') onPoll(account, kernel.elapsed - askedAt);
      begin(() => {
        free.set(duty, (free.get(duty) ?? 0) + 1);
        waiting.get(duty)?.shift()?.();
      });
    };
    if ((free.get(duty) ?? 0) > 0) take();
    else waiting.set(duty, [...(waiting.get(duty) ?? []), take]);
  };
}

const getDuty = ({ command }: PendingActivity): string =>
  Object.entries(ACTIVITIES_OF).find(([, names]) => (names as readonly string[]).includes(command.type))?.[0] ??
  'submit';
