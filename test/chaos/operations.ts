import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatTry, micros } from '../../contract/money.ts';
import { openDatabase } from '../../src/database/open.ts';
import { sql } from '../../src/database/sql.ts';
import { pick } from '../support/seeded.ts';
import { PRICE } from './account-admin.ts';
import { getLedgerCharges, getServiceCharges } from './charges.ts';
import type { Harness } from './harness.ts';
import { runCommand } from './run-command.ts';

/** What an operator does to a connector that runs, besides breaking it. */
export const OPERATIONS = [
  'restore ledger',
  'restore ledger without temporal',
  'change price',
  'lower and raise cap',
  'remove watch',
  'rename watch',
  'move pages',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** What an operation needs of the scenario that it happens in. */
export interface Stage {
  readonly harness: Harness;
  readonly random: () => number;
  /** Starts a run of every watch of the configuration, under a name that is new. */
  startRuns(): Promise<void>;
  /** Until nothing is under way, or for so long. */
  waitUntilIdle(ms: number): Promise<void>;
}

/** What was done, in a sentence, and what did not hold at that moment. */
export interface OperationReport {
  readonly text: string;
  readonly breaches: readonly string[];
}

/** The longest that a request is delayed on its way to the service. */
const LATE_MS = 7_000;

export const carryOutOperation = (operation: Operation, stage: Stage): Promise<OperationReport> =>
  OPERATION[operation](stage);

const OPERATION: Record<Operation, (stage: Stage) => Promise<OperationReport>> = {
  'restore ledger': (stage) => restoreLedger(stage, false),
  'restore ledger without temporal': (stage) => restoreLedger(stage, true),
  'change price': changePrice,
  'lower and raise cap': lowerAndRaiseCap,
  'remove watch': removeWatch,
  'rename watch': renameWatch,
  'move pages': movePages,
};

/** A backup is made, work continues, and the backup comes back: as docs/guides/recover-a-ledger.md says, with `recover`. */
async function restoreLedger(stage: Stage, withoutTemporal: boolean): Promise<OperationReport> {
  const { harness, random } = stage;
  const backup = join(harness.folder, 'backup.db');
  const file = join(harness.folder, 'ledger.db');
  rmSync(backup, { force: true });
  await harness.ledger.run({ strings: [`VACUUM INTO '${backup}'`], parts: [] });
  await stage.startRuns();
  await sleep(1_000 + random() * 6_000);
  const namespace = withoutTemporal ? `${harness.settings.namespace}-restored` : harness.settings.namespace;
  const breaches: string[] = [];
  await harness.reconfigure(async () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
    copyFileSync(backup, file);
    // What a killed worker had sent may still arrive.
    await sleep(LATE_MS);
    breaches.push(...(await runCommand(harness.folder, 'recover')));
    return { namespace };
  });
  return { text: `restored the ledger${withoutTemporal ? ' and lost the state of Temporal' : ''}`, breaches };
}

async function changePrice({ harness, random, startRuns, waitUntilIdle }: Stage): Promise<OperationReport> {
  const price = micros(Math.round(PRICE * pick(random, [0.2, 0.8, 1.5, 3])));
  await harness.admin.setPrice(price);
  // The operator writes the new price down, or lets the connector learn it.
  const pricePerUrl = random() < 0.5 ? formatTry(price) : null;
  if (random() < 0.5) await harness.reconfigure(async () => ({ pricePerUrl }));
  await startRuns();
  await waitUntilIdle(10_000);
  return { text: `changed the price to ${formatTry(price)}`, breaches: [] };
}

/** Nothing beyond the cap is bought while it is low, but for what was already in doubt. */
async function lowerAndRaiseCap({ harness, random, startRuns, waitUntilIdle }: Stage): Promise<OperationReport> {
  const more = Math.floor(random() * 40) * PRICE;
  let limit = 0;
  await harness.reconfigure(async () => {
    await sleep(LATE_MS);
    limit = (await getCommitted(harness)) + more;
    return { perDay: formatTry(micros(limit)) };
  });
  await startRuns();
  await waitUntilIdle(12_000);
  const { jobs, checks } = await getServiceCharges(harness.serviceDb);
  const breaches = jobs + checks > limit ? [`${jobs + checks} was charged under a cap of ${limit} micro-lira`] : [];
  await harness.reconfigure(async () => ({ perDay: null }));
  return { text: `lowered the cap to ${formatTry(micros(limit))} a day and lifted it`, breaches };
}

/** What the service has charged, and what it may still charge for batches and checks without an answer. */
async function getCommitted({ config, serviceDb }: Harness): Promise<number> {
  const ledger = openDatabase(config.ledgerUrl);
  try {
    const service = await getServiceCharges(serviceDb);
    const own = await getLedgerCharges(ledger);
    const open = await ledger.get(sql<{ urls: number }>`
      SELECT coalesce(sum(urls), 0) AS urls FROM batches WHERE state = 'sending'`);
    return Math.max(service.jobs, own.jobs) + Math.max(service.checks, own.checks) + open!.urls * PRICE;
  } finally {
    await ledger.close();
  }
}

/** A watch leaves the configuration in the middle of its work, and comes back. */
async function removeWatch({ harness, random, startRuns, waitUntilIdle }: Stage): Promise<OperationReport> {
  const { watches } = harness.settings;
  const name = pick(random, [...watches.keys()]);
  await harness.reconfigure(async () => ({ watches: new Map([...watches].filter(([each]) => each !== name)) }));
  await startRuns();
  await waitUntilIdle(5_000);
  await harness.reconfigure(async () => ({ watches }));
  return { text: `removed the watch ${name} and added it again`, breaches: [] };
}

async function renameWatch({ harness, random, startRuns }: Stage): Promise<OperationReport> {
  const { watches } = harness.settings;
  const name = pick(random, [...watches.keys()]);
  const renamed = new Map([...watches].map(([each, sitemap]) => [each === name ? `${name}-renamed` : each, sitemap]));
  await harness.reconfigure(async () => ({ watches: renamed }));
  await startRuns();
  return { text: `renamed the watch ${name}`, breaches: [] };
}

/** Half of the pages of one watch are listed by the sitemaps of another from now on, the rest in another order. */
async function movePages({ harness, random, startRuns }: Stage): Promise<OperationReport> {
  const { site } = harness;
  const names = [...site.pages().keys()];
  const from = pick(random, names);
  const to = pick(
    random,
    names.filter((name) => name !== from),
  );
  const pages = site.pages().get(from)!;
  const moved = pages.filter((_, n) => n % 2 === 0);
  const rest = pages.filter((_, n) => n % 2 === 1).toReversed();
  site.publish(from, rest);
  site.publish(to, [...moved, ...site.pages().get(to)!.toReversed()]);
  await startRuns();
  return { text: `moved ${moved.length} pages from the sitemaps of ${from} to those of ${to}`, breaches: [] };
}
