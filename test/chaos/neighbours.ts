/**
 * Three configurations in two folders, all with the same names, in one Temporal namespace: their workers are killed and
 * started, their sites publish, schedules and commands run them, in an order that a seed gives. In the end each ledger's
 * jobs, charges, schedules and workflows must be its own. Run: npm run test:neighbours -- [--seconds 600] [--seed 1].
 * Exit code 1 when one ledger saw the work of another.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { micros, parseTry } from '../../contract/money.ts';
import { startService } from '../../service/serve.ts';
import { openDatabase } from '../../src/database/open.ts';
import { sql } from '../../src/database/sql.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { FAILURE_TYPE } from '../../src/temporal-api/failure-types.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal-api/search-attributes.ts';
import { pick, seeded } from '../support/seeded.ts';
import { AMPLE } from '../support/service.ts';
import { newFolder } from './folder.ts';
import { startKillableTemporal } from './killable-temporal.ts';
import { prepareQuickStart } from './quick-start.ts';
import { startSite } from './site.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string', default: '1' } },
});
const random = seeded(Number(values.seed));
const PRICE = parseTry('0.25')!;
const SETTLE_MS = 240_000;
const NAMESPACE = `neighbours-${Date.now().toString(36)}`;
const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

interface Neighbour {
  readonly name: string;
  readonly folder: string;
  readonly file: string;
  readonly ledgerUrl: string;
  readonly account: number;
  readonly published: string[];
  worker: ChildProcess | null;
}

const folder = newFolder();
const [temporal] = await Promise.all([startKillableTemporal(folder), prepareQuickStart(folder)]);
const client = await temporal.client(NAMESPACE);
const site = await startSite();
const serviceUrl = `sqlite:${join(folder, 'service.db')}`;
const service = await startService({
  database: serviceUrl,
  settings: { budgets: AMPLE, processing: { simulated: { fastMs: 300, standardMs: 300 }, sweepMs: 300 } },
});
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

async function settle(name: string, place: string, file: string): Promise<Neighbour> {
  const account = await service.accounts.createAccount({ name, balance: micros(1_000_000 * PRICE), price: PRICE });
  const { apiKey } = await service.accounts.createKey({ account: account.id });
  const at = join(folder, place);
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, `${name}.key`), apiKey);
  const polls = { first: '0s', min: '300ms', max: '1s', growth: 1.2 };
  const settings = {
    version: 1,
    accounts: {
      main: {
        base_url: service.baseUrl,
        api_key: { file: `${name}.key` },
        limits: {
          requests: { minute: 1_000_000, hour: 1_000_000, day: 1_000_000 },
          submissions: { minute: 1_000_000 },
        },
        tracking: { fast: polls, standard: polls },
      },
    },
    watches: {
      shop: {
        account: 'main',
        project: 'Shop',
        first_run: 'submit',
        sitemaps: [`http://127.0.0.1:${site.port}/${name}.xml`],
        hosts: ['shop.example'],
        allow_private_hosts: ['127.0.0.1'],
        schedule: { cron: '* * * * *' },
      },
    },
    temporal: { address: temporal.address, namespace: NAMESPACE },
    ledger: { url: `sqlite:${name}.db` },
  };
  writeFileSync(join(at, file), stringify(settings));
  const neighbour: Neighbour = {
    name,
    folder: at,
    file,
    ledgerUrl: `sqlite:${join(at, `${name}.db`)}`,
    account: account.id,
    published: [],
    worker: null,
  };
  publish(neighbour, 20);
  return neighbour;
}

/** All sites have the same host and some of the same pages: whoever did another's work would buy them for the wrong account. */
function publish({ name, published }: Neighbour, pages: number): void {
  for (let n = 0; n < pages; n++) {
    const own = published.length % 2 === 0 ? 'all' : name;
    published.push(`https://shop.example/${own}/${published.length}`);
  }
  site.publish(name, published);
}

function start({ folder: cwd, file }: Neighbour, ...args: string[]): ChildProcess {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, '--config', file, ...args, '--json'],
    { cwd, stdio: 'ignore' },
  );
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

const isUp = (child: ChildProcess | null): child is ChildProcess =>
  child !== null && child.exitCode === null && child.signalCode === null;

function startWorker(neighbour: Neighbour): void {
  if (!isUp(neighbour.worker)) neighbour.worker = start(neighbour, 'worker');
}

async function end({ worker }: Neighbour, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (!isUp(worker)) return;
  const gone = once(worker, 'exit');
  worker.kill(signal);
  if (signal === 'SIGKILL') await gone;
}

const ACTS: Readonly<Record<string, (neighbour: Neighbour) => unknown>> = {
  'start a worker': startWorker,
  'kill a worker': (neighbour) => end(neighbour, 'SIGKILL'),
  'stop a worker': (neighbour) => end(neighbour, 'SIGTERM'),
  publish: (neighbour) => publish(neighbour, 1 + Math.floor(random() * 15)),
  'run by command': (neighbour) => start(neighbour, 'run', '--timeout', '20s'),
};

const done = new Map<string, number>();
const breaches: string[] = [];
const check = (holds: boolean, what: string) => void (holds || breaches.push(what));

async function judge(neighbour: Neighbour, ledgers: readonly string[]): Promise<string> {
  const { name, published, account } = neighbour;
  const serviceDb = openDatabase(serviceUrl);
  const ledger = await openLedger(neighbour.ledgerUrl);
  try {
    const bought = await serviceDb.all(sql<{ url: string; times: number }>`
      SELECT u.url, count(*) AS times FROM submission_urls AS u JOIN submissions AS s ON s.id = u.submission_id
      WHERE s.account_id = ${account} GROUP BY u.url`);
    const twice = bought.filter(({ times }) => times !== 1);
    check(twice.length === 0, `${name}: ${twice.length} URLs were bought more than once, such as ${twice[0]?.url}`);
    const listed = new Set(published);
    const strange = bought.filter(({ url }) => !listed.has(url));
    check(strange.length === 0, `${name}: bought ${strange.length} URLs of another ledger, such as ${strange[0]?.url}`);
    check(bought.length === published.length, `${name}: ${bought.length} of ${published.length} URLs were bought`);
    const { charged } = await ledger.db.one(sql<{ charged: number }>`
      SELECT coalesce(sum(amount), 0) AS charged FROM journal_totals WHERE day > 0`);
    check(charged === published.length * PRICE, `${name}: its ledger counts ${charged} micro-lira`);
    const references = await serviceDb.all(sql<{ reference: string }>`
      SELECT reference FROM submissions WHERE account_id = ${account} ORDER BY reference`);
    const own = await ledger.db.all(sql<{ reference: string }>`
      SELECT reference FROM batches WHERE reference IS NOT NULL ORDER BY reference`);
    check(JSON.stringify(own) === JSON.stringify(references), `${name}: its jobs are not those of its account`);
    check(!ledgers.includes(ledger.id), `${name}: two ledgers have the id ${ledger.id}`);
    return ledger.id;
  } finally {
    await ledger.close();
    await serviceDb.close();
  }
}

async function countBought(account: number): Promise<number> {
  const db = openDatabase(serviceUrl);
  try {
    const { n } = await db.one(sql<{ n: number }>`
      SELECT count(*) AS n FROM submission_urls AS u JOIN submissions AS s ON s.id = u.submission_id
      WHERE s.account_id = ${account}`);
    return n;
  } finally {
    await db.close();
  }
}

/** Every workflow and schedule of the namespace belongs to one of the ledgers, and none failed but for a run beside another. */
async function judgeNamespace(ledgers: readonly string[]): Promise<number> {
  let workflows = 0;
  for await (const each of client.workflow.list()) {
    workflows += 1;
    const [, owner = ''] = each.workflowId.split('/');
    check(ledgers.includes(owner), `workflow ${each.workflowId} belongs to no ledger of these`);
    const attribute = each.typedSearchAttributes.get(SEARCH_ATTRIBUTES.ledger);
    check(
      attribute === undefined || attribute === owner,
      `workflow ${each.workflowId} carries the ledger ${attribute}`,
    );
    if (each.status.name !== 'FAILED' && each.status.name !== 'TIMED_OUT') continue;
    const why = await client.workflow
      .getHandle(each.workflowId, each.runId)
      .result()
      .then(
        () => null,
        (error: { cause?: { type?: string; cause?: { type?: string } } }) =>
          error.cause?.type ?? error.cause?.cause?.type,
      );
    check(why === FAILURE_TYPE.runActive, `workflow ${each.workflowId} ended ${each.status.name} (${why})`);
  }
  const schedules: string[] = [];
  for await (const { scheduleId } of client.schedule.list()) schedules.push(scheduleId);
  for (const ledger of ledgers) {
    const own = schedules.filter((id) => id.includes(ledger));
    check(own.length === 1, `ledger ${ledger} has the schedules ${own.join(', ') || 'none'}`);
  }
  check(
    schedules.length === ledgers.length,
    `the namespace has ${schedules.length} schedules: ${schedules.join(', ')}`,
  );
  return workflows;
}

const neighbours = [
  await settle('first', 'one', 'courier.yaml'),
  await settle('second', 'two', 'courier.yaml'),
  await settle('third', 'two', 'other.yaml'),
];
for (const each of neighbours) startWorker(each);
for (const until = Date.now() + Number(values.seconds) * 1_000; Date.now() < until; ) {
  const act = pick(random, Object.keys(ACTS));
  await ACTS[act]!(pick(random, neighbours));
  done.set(act, (done.get(act) ?? 0) + 1);
  await sleep(random() * 5_000);
}
for (const until = Date.now() + SETTLE_MS; Date.now() < until; await sleep(1_000)) {
  for (const each of neighbours) startWorker(each);
  const counts = await Promise.all(neighbours.map(({ account }) => countBought(account)));
  if (counts.every((n, at) => n >= neighbours[at]!.published.length)) break;
}
// What was accepted last has its end recorded, and a second purchase would have come.
await sleep(10_000);
const ledgers: string[] = [];
for (const each of neighbours) ledgers.push(await judge(each, ledgers));
const workflows = await judgeNamespace(ledgers);
for (const each of neighbours) await end(each, 'SIGKILL');
await service.close();
await site.close();
await temporal.stop();
console.log(`${[...done].map(([act, times]) => `${act} ${times}`).join(', ')}`);
console.log(
  `${neighbours.map(({ name, published }) => `${name}: ${published.length} URLs`).join(', ')}; ${workflows} workflows, ` +
    `${ledgers.length} ledgers in one namespace for ${values.seconds} s; ${breaches.length} breaches`,
);
for (const breach of breaches) console.log(`  - ${breach}`);
rmSync(folder, { recursive: true, force: true });
process.exit(breaches.length === 0 ? 0 : 1);
