import { cancelBatch } from '../../../../src/ledger/batches/cancel-batch.ts';
import { LedgerError } from '../../../../src/ledger/ledger-error.ts';
import { listBatches } from '../../../../src/ledger/reports/lists.ts';
import { startRuns } from '../acts/runs.ts';
import { SITE } from '../site.ts';
import type { World } from '../world.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** Longer than a request that its client has given up may still travel. */
export const LATE_MS = 200_000;

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

/** Starts a run of a watch, and waits until these pages are bought, for an hour at most. */
export async function buy(world: World, sitemap: string, urls: readonly string[]): Promise<void> {
  await startRuns(world, { sitemaps: [sitemap] });
  await until(world, () => world.oracle.countBought(urls) === urls.length, HOUR);
  // Its answer is recorded by then.
  await world.kernel.sleep(30_000);
}

/** Publishes pages of all watches that were there from the beginning, until nothing of them is under way. */
export async function buyAll(world: World): Promise<void> {
  await startRuns(world);
  await world.kernel.sleep(MINUTE);
  await awaitIdle(world);
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
