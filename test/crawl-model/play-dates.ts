import assert from 'node:assert/strict';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { ledgerOver } from '../../src/ledger/open-ledger.ts';
import { planRun } from '../../src/ledger/plans/make-plan.ts';
import { endRun } from '../../src/ledger/runs/runs.ts';
import type { RunId } from '../../src/submission/ids.ts';
import { ACCOUNT, crawled, DAY, HOUR, type Site, sendAll, shopUrl, WATCH } from '../support/ledger.ts';
import { pick, seeded } from '../support/seeded.ts';
import { endJob } from '../support/service-results.ts';
import { Dates } from './dates.ts';
import { listDue } from './list-due.ts';
import { toVersion } from './version.ts';

const VISITS = 8;
const PAGES = ['1', '2'];
const START = Date.UTC(2026, 5, 1);
const EDITS = Date.UTC(2026, 0, 5, 10);
/** How a moment is written: as its day, its second and its minute. Months and years are for whole sites (site.ts). */
const FORMS: readonly ((at: string) => string)[] = [
  (at) => at.slice(0, 10),
  (at) => `${at.slice(0, 19)}Z`,
  (at) => `${at.slice(0, 16)}Z`,
];

/** What one history has shown. */
export interface PlayedDates {
  readonly runs: number;
  readonly bought: number;
  /** Runs after which the ledger kept what several files show of a page. */
  readonly shared: number;
}

/**
 * Plays the dates of two pages in two or three files, without a server: eight visits, each against the model. Files are read in
 * any order, some break off at their end, and a batch may wait over the next visit. Throws an AssertionError where they differ.
 */
export async function playDates(db: Database, seed: number): Promise<PlayedDates> {
  const random = seeded(seed);
  let time = START;
  const ledger = await ledgerOver(db, () => time);
  const dates = new Dates();
  const forms = random() < 0.5 ? FORMS : FORMS.slice(0, 1);
  const files = new Map(
    ['a', 'b', ...(random() < 0.5 ? ['c'] : [])].map((name) => [name, new Map<string, string | null>()]),
  );
  const played = { runs: 0, bought: 0, shared: 0 };
  const history: string[] = [];
  let waits = false;

  const send = async () => {
    for (const reference of await sendAll(ledger)) await endJob(ledger, reference);
    dates.send();
  };

  for (let visit = 1; visit <= VISITS; visit += 1) {
    const run = `run-${visit}` as RunId;
    for (const pages of files.values()) edit(pages, forms, random);
    const read = [...files].sort(() => random() - 0.5);
    const site = Object.fromEntries(read.map(([name, pages]) => [name, toPages(pages, random() < 0.15)]));
    history.push(JSON.stringify(site));
    await crawled(ledger, run, site);
    played.runs += 1;
    for (const [name, pages] of read) for (const [page, date] of pages) dates.show(name, page, toVersion(date));
    const rows = await db.all(sql<{ url: string; gone_run: number | null; shown_versions: string | null }>`
      SELECT url, gone_run, shown_versions FROM urls`);
    if (rows.some(({ shown_versions: shown }) => shown !== null)) played.shared += 1;
    const alive = PAGES.filter((page) => rows.some((row) => row.url === shopUrl(page) && row.gone_run === null));
    const due = alive.filter((page) => dates.isDue(page));
    assert.deepEqual(await listDue(ledger, run), due.map(shopUrl), `seed ${seed}, after\n${history.join('\n')}\n`);
    if (waits) {
      await send();
      waits = false;
    } else if (random() < 0.5) {
      await planRun(ledger, run, { watch: WATCH, account: ACCOUNT });
      dates.plan(due);
      played.bought += due.length;
      history.push(`bought: ${due.join(', ')}`);
      waits = random() < 0.3;
      if (!waits) await send();
    }
    await endRun(ledger, run, 'finished');
    // A batch that waits for a day is looked up first.
    time += waits ? HOUR : DAY;
  }
  return played;
}

function edit(pages: Map<string, string | null>, forms: typeof FORMS, random: () => number): void {
  for (const page of PAGES) {
    const how = random();
    if (how < 0.03) pages.set(page, null);
    else if (how < 0.35) {
      const at = EDITS + Math.floor(random() * 6) * (random() < 0.3 ? DAY / 4 : DAY);
      pages.set(page, pick(random, forms)(new Date(at).toISOString()));
    } else if (how < 0.42) pages.delete(page);
  }
}

function toPages(pages: ReadonlyMap<string, string | null>, isCut: boolean): Site[string] {
  const list = [...pages].map(([page, date]) => (date === null ? page : ([page, date] as const)));
  return isCut ? { cut: list } : list;
}
