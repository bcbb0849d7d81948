import { micros } from '../../../../contract/money.ts';
import { administer } from '../../../../service/accounts/administration.ts';
import { cancelBatch } from '../../../../src/ledger/batches/cancel-batch.ts';
import { LedgerError } from '../../../../src/ledger/ledger-error.ts';
import { listBatches } from '../../../../src/ledger/reports/lists.ts';
import type { Run } from '../../temporal/server.ts';
import { SERVICE_NAMES } from '../account-names.ts';
import { startRuns } from '../acts/runs.ts';
import { SITE } from '../site.ts';
import type { World } from '../world.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** Longer than a request that its client has given up may still travel. */
export const LATE_MS = 200_000;
/** At ten in the morning of a day in the middle of a month, so that neither ends while caps are compared. */
export const MORNING = Date.UTC(2026, 2, 10, 10);

/** A sitemap lists new pages, all of one day. `part` is new in each call. */
export function publish({ site }: World, sitemap: string, part: string, count: number): readonly string[] {
  const urls = Array.from({ length: count }, (_, n) => `${SITE}/${sitemap}/${part}/${n}`);
  site.publish(sitemap, [...site.list(sitemap), ...urls.map((url) => ({ url, lastmod: '2026-01-01' }))]);
  return urls;
}

/** The same with `least` to `least + 3` pages. */
export const publishSome = (
  world: World,
  random: () => number,
  sitemap: string,
  part: string,
  least = 1,
): readonly string[] => publish(world, sitemap, part, least + Math.floor(random() * 4));

/** The lastmod of these pages is another day now. */
export function change({ site }: World, sitemap: string, urls: readonly string[], lastmod: string): void {
  site.publish(
    sitemap,
    site.list(sitemap).map((page) => (urls.includes(page.url) ? { ...page, lastmod } : page)),
  );
}

/** A sitemap lists these pages with this lastmod, besides its others. */
export function list({ site }: World, sitemap: string, urls: readonly string[], lastmod: string): void {
  const others = site.list(sitemap).filter(({ url }) => !urls.includes(url));
  site.publish(sitemap, [...others, ...urls.map((url) => ({ url, lastmod }))]);
}

export function unlist({ site }: World, sitemap: string, urls: readonly string[]): void {
  site.publish(
    sitemap,
    site.list(sitemap).filter(({ url }) => !urls.includes(url)),
  );
}

/** A watch has another name in the configuration. */
export const rename = (world: World, from: string, to: string): Promise<void> =>
  world.reconfigure(({ watches }) => ({
    watches: new Map([...watches].map(([name, sitemap]) => [name === from ? to : name, sitemap])),
  }));

/** Waits until it is so, and for so long at most. Returns whether it is so. */
export async function until({ kernel }: World, isSo: () => boolean, mostMs: number): Promise<boolean> {
  for (let waited = 0; !isSo() && waited < mostMs; waited += 5_000) await kernel.sleep(5_000);
  return isSo();
}

/** Waits until nothing is under way: no run, no job, nothing to send. */
export const awaitIdle = (world: World, mostMs = 4 * HOUR): Promise<boolean> =>
  until(world, () => world.temporal.listRunning().length === 0, mostMs);

/** Starts a run of a watch, and waits until a worker sends a batch. */
export async function runAndSend(world: World, sitemap: string): Promise<void> {
  const sent = world.nextSubmission();
  await startRuns(world, { sitemaps: [sitemap] });
  await sent;
}

/** Starts a run of a watch whose batch is told to wait: nothing of it is charged. */
export async function runAndWait(world: World, sitemap: string): Promise<void> {
  world.meets.set(sitemap, 'later');
  await runAndSend(world, sitemap);
  await world.kernel.sleep(10_000);
}

/** All workers are away until what they sent has arrived, and for so many hours. `forHow`: in words. */
export const stayAway = (world: World, drawHours: () => number, forHow: string): Promise<void> =>
  world.whileStopped(async () => {
    await world.kernel.sleep(LATE_MS);
    world.kernel.epoch += Math.floor(drawHours() * HOUR);
    world.kernel.trace(`the workers were away for ${forHow}`);
  });

/** Temporal is away for so many hours, and all workers live on. `forHow`: in words. */
export async function stopTemporal(
  { kernel, temporal }: World,
  drawHours: () => number,
  forHow: string,
): Promise<void> {
  temporal.stop();
  await kernel.sleep(LATE_MS);
  kernel.epoch += Math.floor(drawHours() * HOUR);
  kernel.trace(`Temporal was away for ${forHow}`);
  temporal.restart();
}

/** Starts a run of a watch, and waits until these pages are bought, for an hour at most. */
export async function buy(world: World, sitemap: string, urls: readonly string[]): Promise<void> {
  await startRuns(world, { sitemaps: [sitemap] });
  await until(world, () => world.oracle.countBought(urls) === urls.length, HOUR);
  // Its answer is recorded by then.
  await world.kernel.sleep(30_000);
}

/** A run of all watches, until nothing is under way. */
export async function runAll(world: World): Promise<void> {
  await startRuns(world);
  await world.kernel.sleep(5 * MINUTE);
  await awaitIdle(world);
}

/** Publishes pages of all watches that were there from the beginning, until nothing of them is under way. */
export async function buyAll(world: World): Promise<void> {
  await startRuns(world);
  await world.kernel.sleep(MINUTE);
  await awaitIdle(world);
}

/** Buys pages, then the lastmod of each of them moves: so many that a run is held for it. */
export async function touchAll(world: World, random: () => number): Promise<readonly string[]> {
  await buyAll(world);
  const urls = publish(world, 'w0', 'touched', 24 + Math.floor(random() * 10));
  await buy(world, 'w0', urls);
  await awaitIdle(world);
  change(world, 'w0', urls, '2026-02-02');
  return urls;
}

/** The worker that sends the next batch is killed, and stays away. The batch is charged. */
export async function runAndDie(world: World, sitemap: string): Promise<void> {
  const crashed = world.crashAtSubmission();
  await startRuns(world, { sitemaps: [sitemap] });
  await crashed;
}

/** Workers that are dead start again. */
export function startWorkers({ workers }: World): void {
  for (const worker of workers) if (worker.host === null) worker.start();
}

/** The executions of a workflow, in the order in which they began: of each id the last one. */
export const findRuns = ({ temporal }: World, type: string): Run[] =>
  [...temporal.executions.values()].map((runs) => runs.at(-1)!).filter((run) => run.type === type);

/** An operator lets an execution begin again from one of its workflow tasks. */
export function reset({ kernel, temporal }: World, run: Run, task: number): void {
  kernel.trace(`reset ${run.workflowId} to task ${task} of ${run.tasks.length}`);
  temporal.reset(run, task);
}

/** An operator takes back every batch that may be taken back. */
export async function cancelAll(world: World): Promise<void> {
  const ledger = await world.openOperatorLedger();
  for (const { batch, state } of await listBatches(ledger, { limit: 50 })) {
    if (state !== 'planned' && state !== 'sending') continue;
    await cancelBatch(ledger, batch, 'operator').catch((error: unknown) => {
      // It is in doubt, or was sent meanwhile: nothing was changed.
      if (!(error instanceof LedgerError)) throw error;
    });
  }
  world.kernel.trace('the operator has cancelled what may be cancelled');
}

/** So many micro-lira of these pages, at the price of the beginning. */
export const computeCost = ({ scenario }: World, urls: readonly string[]): number => urls.length * scenario.price;

/** The price at the service is another one for both levels. */
export async function setPrice(world: World, price: number): Promise<void> {
  const accounts = administer(world.stores.service);
  world.oracle.changePrice(SERVICE_NAMES.main, price);
  for (const level of ['standard', 'fast'] as const) await accounts.setPrice(SERVICE_NAMES.main, level, micros(price));
  world.kernel.trace(`the price is ${price}`);
}

/** What the account may still spend today, from now on. */
export const allowToday = (
  world: World,
  amount: number,
  change: Parameters<World['reconfigure']>[0] = {},
): Promise<void> =>
  world.reconfigure((settings) => {
    const perDay = world.oracle.getSpent('perDay', world.scenario.watches.keys()) + amount;
    const more = typeof change === 'function' ? change(settings) : change;
    return { ...more, caps: { ...settings.caps, perDay } };
  });

export function copyLedger(world: World): void {
  world.stores.backUp();
  world.oracle.copyLedger();
  world.kernel.trace('the ledger is copied');
}

/** The copy comes back; an operator recovers the account when it is held. */
export const restoreLedger = (world: World, { losesTemporal }: { readonly losesTemporal: boolean }): Promise<void> =>
  world.whileStopped(async () => {
    world.wasRestored = true;
    await world.stores.restore();
    world.oracle.restoreLedger();
    world.labels.restored();
    world.kernel.trace('the ledger is a copy');
    if (losesTemporal) await world.loseTemporal();
    await world.kernel.sleep(LATE_MS);
  });
