import assert from 'node:assert/strict';
import { observeCrawl } from '../../activities/observe-crawl.ts';
import { runStart } from '../../activities/run-start.ts';
import { readConfig } from '../../src/config/load.ts';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { diffRun } from '../../src/ledger/crawl/diff-run.ts';
import { type Ledger, ledgerOver } from '../../src/ledger/open-ledger.ts';
import { planRun } from '../../src/ledger/plans/make-plan.ts';
import { beginRun, endRun } from '../../src/ledger/runs/runs.ts';
import type { RunId, WatchId } from '../../src/submission/ids.ts';
import { ACCOUNT, sendAll, WATCH } from '../support/ledger.ts';
import { seeded } from '../support/seeded.ts';
import { endJob } from '../support/service-results.ts';
import { type BrokenAnswer, serveBroken } from '../support/sitemap/breaking-server.ts';
import { listDue } from './list-due.ts';
import { Model } from './model.ts';
import { Site } from './site.ts';
import type { Answer, Exchange } from './wire.ts';

const VISITS = 10;
/** Long enough that a server in the same process never needs it. */
const STALL_MS = 1_000;
const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 15, 12);

/** What one site has shown. */
export interface Played {
  /** Crawls that came to their end. */
  readonly runs: number;
  readonly incomplete: number;
  readonly stopped: number;
  readonly breaks: number;
  readonly bought: number;
}

/** A server that all sites use, one after the other. */
export interface SiteServer extends AsyncDisposable {
  readonly origin: string;
  /** `head`: the whole of the request. */
  answer: (path: string, validator: string | undefined, head: string) => Answer;
}

const GONE: Answer = { kind: 'status', status: 404 };

export async function serveSites(): Promise<SiteServer> {
  const host: Pick<SiteServer, 'answer'> = { answer: () => GONE };
  const server = await serveBroken((...request) => toBytes(host.answer(...request)));
  return Object.assign(host, { origin: server.origin, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() });
}

/**
 * Plays one site over ten visits of a watch, each against the model: which pages exist, which are bought, and whether the
 * crawl was complete. Throws an AssertionError where they differ. The same seed plays the same site. `hasStalls`: answers may also break off by
 * sending nothing more, which takes a second each.
 */
export async function playSite(
  server: SiteServer,
  db: Database,
  seed: number,
  { hasStalls = false } = {},
): Promise<Played> {
  const random = seeded(seed);
  const site = new Site(random, server.origin, hasStalls ? ['fin', 'rst', 'stall'] : ['fin', 'rst']);
  const model = new Model(server.origin, site.sources);
  let time = START;
  // No two calls at the same time: the ledger says which visit has ended before another.
  const ledger = await ledgerOver(db, () => time++);
  let crawls = 0;
  const played = { runs: 0, incomplete: 0, stopped: 0, breaks: 0, bought: 0 };

  /** Crawls what is there. Undefined: it was stopped at request `stopAt`. */
  async function crawl(run: RunId, stopAt = Number.POSITIVE_INFINITY) {
    const stop = new AbortController();
    const exchanges: Exchange[] = [];
    crawls += 1;
    const watch = createWatch(server.origin, site.sources, crawls);
    const own = `\r\ncrawl: ${crawls}\r\n`;
    server.answer = (path, validator, head) => {
      // A request that a stopped crawl has left behind.
      if (!head.includes(own)) return GONE;
      const made = site.answer(path, validator);
      if (made.kind === 'document' && made.broken !== undefined) played.breaks += 1;
      exchanges.push({ path, validator, answer: made });
      if (exchanges.length === stopAt) stop.abort(new Error('the worker stops'));
      return made;
    };
    try {
      const { complete } = await observeCrawl(ledger, watch, run, stop.signal, {
        concurrency: 3,
        sleep: async () => {},
        ...(hasStalls ? { timeouts: { idleMs: STALL_MS } } : {}),
      }).report;
      return { exchanges, complete };
    } catch (error) {
      if (error !== stop.signal.reason) throw error;
      return { exchanges, complete: undefined };
    }
  }

  const start = (run: RunId) => runStart(createWatch(server.origin, site.sources, 0), run);
  for (let visit = 1; visit <= VISITS; visit += 1) {
    let run = `run-${seed}-${visit}` as RunId;
    const isStopped = random() < 0.15;
    site.visit({ isQuiet: isStopped });
    await beginRun(ledger, start(run));
    let first: readonly Exchange[] = [];
    if (isStopped) {
      const stopped = await crawl(run, 1 + Math.floor(random() * 4));
      first = stopped.exchanges;
      played.stopped += stopped.complete === undefined ? 1 : 0;
      site.settle(true);
      if (random() < 0.5) {
        await endRun(ledger, run, 'abandoned');
        run = `${run}-again` as RunId;
        await beginRun(ledger, start(run));
      }
    }
    const { exchanges, complete = false } = await crawl(run);
    const diff = await diffRun(ledger, run, { complete });
    played.runs += 1;
    const isComplete = model.crawl(exchanges, first, await listEnded(ledger, run));
    if (!isComplete) played.incomplete += 1;
    const where = `seed ${seed}, visit ${visit}, after\n${[...first, ...exchanges].map(describeExchange).join('\n')}\n`;
    assert.equal(diff.complete, isComplete, `${where}complete`);
    assert.deepEqual(await listAlive(ledger), model.alive, `${where}the pages that exist`);
    assert.deepEqual(await listDue(ledger, run), model.due, `${where}the pages that a plan buys`);
    if (random() < 0.5) {
      played.bought += model.due.length;
      model.buy(model.due);
      await planRun(ledger, run, { watch: WATCH, account: ACCOUNT });
      for (const reference of await sendAll(ledger)) await endJob(ledger, reference);
      await endRun(ledger, run, 'finished');
    } else await endRun(ledger, run, 'previewed');
    time += DAY;
  }
  return played;
}

function createWatch(origin: string, sources: readonly string[], crawl: number) {
  const config = readConfig(
    `version: 1
accounts: { ${ACCOUNT.id}: { base_url: "https://x.example/api/v1", api_key: { env: X } } }
watches: { ${WATCH.id}: { account: ${ACCOUNT.id}, sitemaps: ${JSON.stringify(sources.map((path) => `${origin}${path}`))}, first_run: submit, hosts: ["*"], allow_private_hosts: [127.0.0.1], headers: { crawl: "${crawl}" } } }`,
    'courier.yaml',
  );
  return config.watches.get(WATCH.id as WatchId) ?? assert.fail();
}

/** The paths of the sitemaps of a run, in the order in which their visits ended. */
async function listEnded({ db }: Ledger, run: RunId): Promise<string[]> {
  const rows = await db.all(sql<{ url: string }>`
    SELECT s.url FROM run_sitemaps AS v JOIN sitemaps AS s ON s.id = v.sitemap_id JOIN runs AS r ON r.id = v.run_id
    WHERE r.name = ${run} ORDER BY v.at`);
  return rows.map(({ url }) => new URL(url).pathname);
}

async function listAlive({ db }: Ledger): Promise<string[]> {
  const rows = await db.all(sql<{ url: string }>`SELECT url FROM urls WHERE gone_run IS NULL`);
  return rows.map(({ url }) => url).sort();
}

function describeExchange({ path, validator = 'no validator', answer }: Exchange): string {
  if (answer.kind !== 'document') return `${path} (${validator}): ${JSON.stringify(answer)}`;
  const { doc, ...rest } = answer;
  const items = doc.items.map(({ href, date }) => `${href} ${date ?? ''}`);
  return `${path} (${validator}): ${JSON.stringify({ ...rest, ...doc, body: doc.body.length, items })}`;
}

function toBytes(answer: Answer): BrokenAnswer | 'not-modified' {
  const empty = { framing: 'Content-Length, HTTP/1.1', body: Buffer.alloc(0) } as const;
  switch (answer.kind) {
    case 'not-modified':
      return 'not-modified';
    case 'status':
      return { ...empty, status: `${answer.status} No` };
    case 'redirect':
      return { ...empty, status: '302 Found', headers: [`Location: ${answer.to}`] };
    case 'document': {
      const { doc, etag, framing, broken } = answer;
      const headers = etag === undefined ? [] : [`ETag: ${etag}`];
      return { framing, body: doc.body, headers, ...(broken === undefined ? {} : { broken }) };
    }
  }
}
