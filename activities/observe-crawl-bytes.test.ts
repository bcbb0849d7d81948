import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, mock, test } from 'node:test';
import type { Watch } from '../src/config/config.ts';
import { readConfig } from '../src/config/load.ts';
import { raw, sql } from '../src/database/sql.ts';
import { openSqlite } from '../src/database/sqlite.ts';
import { diffRun } from '../src/ledger/crawl/diff-run.ts';
import { type Ledger, ledgerOver } from '../src/ledger/open-ledger.ts';
import { beginRun, endRun } from '../src/ledger/runs/runs.ts';
import { RecordCollector } from '../src/sitemap/record-collector.ts';
import type { RunId, WatchId } from '../src/submission/ids.ts';
import { pick, seeded } from '../test/support/seeded.ts';
import { observeCrawl } from './observe-crawl.ts';
import { runStart } from './run-start.ts';

const SEQUENCES = 20;
const CRAWLS = 5;
const FILES = ['a.xml', 'b.xml', 'c.xml'];
const SCOPES = [
  'hosts: [shop.example]',
  'hosts: [shop.example, cdn.example], exclude: ["/p/1*", "/never/**"]',
  'hosts: [shop.example], include: ["/p/**", "/p/2", "/x"], exclude: ["/p/9"]',
];
const TABLES = [
  'urls',
  'sitemaps',
  'sitemap_snapshots',
  'run_sitemaps',
  'run_skips',
  'gone_candidates',
  'runs',
  'watches',
];

/** A fingerprint is larger than a number, and no two crawls take the same time. */
const COLUMNS: Readonly<Record<string, string>> = {
  fp: 'CAST(fp AS TEXT) AS fp',
  known: "json_remove(known, '$.tookMs') AS known",
};

type Random = () => number;

/** Locs as sites write them: most are their own normal form, the others are not or name no page. */
function writeLoc(random: Random): string {
  const page = Math.floor(random() * 24);
  const host = pick(random, [
    'https://shop.example',
    'https://shop.example',
    'https://shop.example',
    'https://cdn.example',
  ]);
  const odd = [
    '/p/1&amp;a=2',
    '/p/ü',
    '/p/%2e/1',
    '/p/%C3%BC',
    '/./p/3',
    ' /p/4 ',
    '/p/5#top',
    '/p/ ',
    '/p/ç&amp;ğ',
    '/日本/😀',
    '/p/ü\u3000',
    '',
  ];
  if (random() < 0.7) return `${host}/p/${page}`;
  return pick(random, [...odd.map((path) => `${host}${path}`), 'HTTPS://Shop.example/p/6', '/p/7', 'mailto:a@b', host]);
}

const LASTMODS = [
  '2026-01-01',
  '2026-01-02',
  '2026-01-02T10:00:00+03:00',
  '',
  'yesterday',
  '2999-01-01',
  ' 2026-01-03 ',
];

function writeRecord(random: Random): string {
  const lastmod = random() < 0.4 ? '' : `<lastmod>${pick(random, LASTMODS)}</lastmod>`;
  return `<url><loc>${writeLoc(random)}</loc>${lastmod}</url>\n`;
}

/** The records of the next version of a file: a few are new, changed or gone, moved or repeated. */
function edit(random: Random, records: readonly string[]): string[] {
  const next = [...records];
  for (let left = Math.floor(random() * 5); left > 0; left -= 1) {
    const at = Math.floor(random() * (next.length + 1));
    const how = random();
    if (how < 0.4) next.splice(at, 0, writeRecord(random));
    else if (how < 0.6) next.splice(at, 1);
    else if (how < 0.8) next.splice(at, 1, writeRecord(random));
    else next.splice(at, 0, ...next.splice(Math.floor(random() * next.length), 1));
  }
  return next;
}

function writeFile(random: Random, records: readonly string[], version: number): string {
  const text = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><!-- ${version} -->${records.join('')}</urlset>`;
  // Now and then it is cut off or has damage in the middle.
  if (random() < 0.1) return text.slice(0, Math.floor(text.length * random()));
  return random() < 0.1 ? text.replace('</loc></url>', '<oops></loc></url>') : text;
}

async function listRows({ db }: Ledger): Promise<Record<string, unknown>> {
  const tables: Record<string, unknown> = {};
  for (const table of TABLES) {
    const columns = await db.all(sql<{ name: string }>`SELECT name FROM pragma_table_info(${table})`);
    const names = columns.map(({ name }) => COLUMNS[name] ?? name).join(', ');
    tables[table] = await db.all(sql`SELECT ${raw(names)} FROM ${raw(table)} ORDER BY 1, 2`);
  }
  return tables;
}

/** Crawls what is on the disk into a ledger, and says everything that came of it. */
async function crawlInto(ledger: Ledger, watch: Watch, name: string): Promise<unknown> {
  const run = name as RunId;
  await beginRun(ledger, runStart(watch, run));
  // One sitemap after the other: which of two sitemaps is the first with a page is then the same each time.
  const report = await observeCrawl(ledger, watch, run, new AbortController().signal, { concurrency: 1 }).report;
  const diff = await diffRun(ledger, run, { complete: report.complete });
  await endRun(ledger, run, 'finished');
  return { report, diff, rows: await listRows(ledger) };
}

const asStrings = async <T>(work: () => Promise<T>): Promise<T> => {
  const reading = mock.method(RecordCollector.prototype, 'rawPage', () => false);
  try {
    return await work();
  } finally {
    reading.mock.restore();
  }
};

async function openSeeded(): Promise<Ledger> {
  return {
    ...(await ledgerOver(openSqlite(':memory:'), () => Date.UTC(2026, 10, 22))),
    seed: 7,
    id: 'same' as Ledger['id'],
  };
}

describe('pages that a crawl recognizes by their bytes', () => {
  test(`${SEQUENCES} sites over ${CRAWLS} crawls: rows, counts and reports are those of a crawl that reads strings`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-bytes-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const watches = SCOPES.map((scope) => {
      const text = `version: 1
accounts: { main: { base_url: "https://x.example/api/v1", api_key: { env: X } } }
watches: { shop: { account: main, sitemaps: [${FILES.join(', ')}], ${scope} } }`;
      return readConfig(text, join(folder, 'courier.yaml')).watches.get('shop' as WatchId) as Watch;
    });
    const taken = mock.method(RecordCollector.prototype, 'rawPage');
    for (let seed = 1; seed <= SEQUENCES; seed += 1) {
      const random = seeded(seed);
      const ledgers = await Promise.all([openSeeded(), openSeeded()]);
      const [byBytes, byStrings] = ledgers;
      const files = new Map(FILES.map((file) => [file, Array.from({ length: 40 }, () => writeRecord(random))]));
      let watch = pick(random, watches);
      try {
        for (let crawl = 1; crawl <= CRAWLS; crawl += 1) {
          if (random() < 0.2) watch = pick(random, watches);
          for (const [file, records] of files) {
            const next = random() < 0.3 ? records : edit(random, records);
            files.set(file, next);
            writeFileSync(join(folder, file), writeFile(random, next, random() < 0.2 ? 0 : crawl));
          }
          const got = await crawlInto(byBytes, watch, `run-${crawl}`);
          const wanted = await asStrings(() => crawlInto(byStrings, watch, `run-${crawl}`));
          assert.deepEqual(got, wanted, `seed ${seed}, crawl ${crawl}`);
        }
      } finally {
        for (const ledger of ledgers) await ledger.close();
      }
    }
    const recognized = taken.mock.calls.filter(({ result }) => result === true).length;
    taken.mock.restore();
    assert.ok(
      recognized > SEQUENCES * 100,
      `only ${recognized} pages were read as bytes: this test would prove nothing`,
    );
  });
});
