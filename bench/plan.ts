/**
 * What runs cost when everything is due, and when 1% is: a first run of 5,000,000 new URLs is crawled, judged and planned;
 * then all of it is bought, and a run with 1% new, 1% changed and 1% gone follows, then one with 1% changed alone. On SQLite, or in a
 * schema of its own on Postgres, which is vacuumed in between as autovacuum does within a day. Prints the figures of
 * bench/plan/figures.ts. Pages are made as bytes, as the crawler has them when it has read the XML; making them does not count.
 *
 * A large ledger takes longer than you may want to wait: `--keep NAME --minutes 8` ends after so many minutes, between two
 * sitemaps or steps, and the same command continues there. The ledger is removed once all of it is measured.
 *
 * Run: npm run bench:plan -- [--urls N] [--postgres URL] [--keep NAME [--minutes N]]
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { raw, sql } from '../src/database/sql.ts';
import { diffRun } from '../src/ledger/crawl/diff-run.ts';
import type { ObservedEntry } from '../src/ledger/crawl/found.ts';
import { type Ledger, openLedger } from '../src/ledger/open-ledger.ts';
import { judgeRun } from '../src/ledger/plans/judge-run.ts';
import { planRun } from '../src/ledger/plans/make-plan.ts';
import { endRun } from '../src/ledger/runs/runs.ts';
import type { RunId, WatchId } from '../src/submission/ids.ts';
import type { Url } from '../src/url/normalize-url.ts';
import { makeVersion, SPAN } from '../src/url/version.ts';
import { type Figures, openFigures } from './plan/figures.ts';
import { crawlPages, getInput, guard } from './plan/large-run.ts';

const { values } = parseArgs({
  options: {
    urls: { type: 'string' },
    postgres: { type: 'string' },
    keep: { type: 'string' },
    minutes: { type: 'string' },
  },
});
const URLS = Number(values.urls ?? 5_000_000);
const NAME = values.keep ?? String(process.pid);
const UNTIL = values.minutes === undefined ? Infinity : performance.now() + Number(values.minutes) * 60_000;
const FIRST = 'first' as RunId;
const NEXT = 'next' as RunId;
const CHANGED = 'changed' as RunId;
const WATCH = 'shop' as WatchId;
/** URLs that are completed in one statement: a statement on Postgres may take five minutes. */
const COMPLETED_AT_ONCE = 250_000;

const hasTime = (): boolean => performance.now() < UNTIL;

/** The page at a place of the site. In the next run 1% of the places hold another page, and 1% another version; in the last 1%. */
function toEntry(n: number, run: RunId): ObservedEntry {
  const name = run !== FIRST && n % 100 === 17 ? `fresh-product-${n}` : `product-${n}`;
  const day = (run !== FIRST && n % 100 === 42) || (run === CHANGED && n % 100 === 43) ? 2 : 1;
  return {
    url: `https://shop.example/category-${n % 97}/products/${name}-of-some-length.html` as Url,
    version: makeVersion(Date.UTC(2026, 0, day), SPAN.day),
  };
}

/** Everything that was planned is bought and done, as when the service has worked on it for a day. */
async function completeAll({ db }: Ledger): Promise<boolean> {
  await db.run(sql`
    UPDATE batches SET state = 'accepted', accepted_at = planned_at, ended_at = planned_at, settled_at = planned_at,
      reference = 'job-' || id, completed = urls WHERE state = 'planned'`);
  const { most } = await db.one(sql<{ most: number }>`SELECT max(id) AS most FROM urls`);
  for (let from = 0; from < most; from += COMPLETED_AT_ONCE) {
    if (!hasTime()) return false;
    await db.run(sql`
      UPDATE urls SET state = 'submitted', bought_at = ${Date.now()}
      WHERE state = 'planned' AND id > ${from} AND id <= ${from + COMPLETED_AT_ONCE}`);
    await db.run(sql`
      UPDATE urls SET state = 'completed', completed_at = ${Date.now()}
      WHERE state = 'submitted' AND id > ${from} AND id <= ${from + COMPLETED_AT_ONCE}`);
  }
  return true;
}

/** A step that is done in one go. */
const whole = async (work: Promise<unknown>): Promise<true> => work.then(() => true);

/** The steps of a run, in order. Each is done once, and says whether it is done now. */
function listSteps(
  ledger: Ledger,
  { leaveOut }: Figures,
  run: RunId,
): readonly (readonly [string, () => Promise<boolean>])[] {
  const input = getInput(WATCH);
  return [
    [`${run}: crawl`, () => crawlPages(ledger, { watch: WATCH, run, urls: URLS, toEntry, hasTime, leaveOut })],
    [`${run}: diff`, () => whole(diffRun(ledger, run, { complete: true }))],
    [`${run}: judge`, () => whole(judgeRun(ledger, run, guard, { input }))],
    [`${run}: plan`, () => whole(planRun(ledger, run, input).then(() => endRun(ledger, run, 'finished')))],
  ];
}

/** Whether all is measured. */
async function measureLedger(ledger: Ledger, figures: Figures): Promise<boolean> {
  const isPostgres = ledger.db.dialect === 'postgres';
  const vacuum = () => whole(ledger.db.run(raw('VACUUM (ANALYZE) urls, batches, batch_urls')));
  const buy = (run: RunId) => [
    [`${run}: buy`, () => completeAll(ledger)] as const,
    ...(isPostgres ? [[`${run}: vacuum`, vacuum] as const] : []),
  ];
  const steps = [
    ...listSteps(ledger, figures, FIRST),
    ...buy(FIRST),
    ...listSteps(ledger, figures, NEXT),
    ...buy(NEXT),
    ...listSteps(ledger, figures, CHANGED),
  ];
  for (const [name, work] of steps) {
    if (await figures.isDone(name)) continue;
    if (!hasTime() || !(await figures.measure(name, work))) return false;
  }
  for (const run of [FIRST, NEXT, CHANGED]) await figures.printSum(run, URLS);
  return true;
}

async function openLarge(): Promise<{ readonly ledger: Ledger; readonly remove: () => Promise<void> }> {
  if (values.postgres !== undefined) {
    const url = new URL(values.postgres);
    url.searchParams.set('schema', `courier_bench_${NAME}`);
    const ledger = await openLedger(url.href);
    return { ledger, remove: async () => void (await ledger.db.run(raw(`DROP SCHEMA ${ledger.db.schema} CASCADE`))) };
  }
  const folder = join(tmpdir(), `courier-bench-${NAME}`);
  if (!existsSync(folder)) mkdirSync(folder);
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
  return { ledger, remove: async () => rmSync(folder, { recursive: true }) };
}

process.stdout.write(`${URLS.toLocaleString('en-US')} URLs\n`);
const { ledger, remove } = await openLarge();
let done = values.keep === undefined;
try {
  done = (await measureLedger(ledger, await openFigures(ledger.db))) || done;
  if (!done) process.stdout.write('not done yet: run the same command again\n');
} finally {
  if (done) await remove();
  await ledger.close();
}
