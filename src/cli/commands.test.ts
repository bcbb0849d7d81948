import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { temporalAddress } from '../../test/temporal.ts';
import { dispatcherWorkflowId } from '../../workflows/ids.ts';
import { sql } from '../database/sql.ts';
import { listBatches } from '../ledger/lists.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { planRun } from '../ledger/plan-run.ts';
import { endRun } from '../ledger/runs.ts';
import { ACCOUNT, crawled, night, sendAll, shopUrl, WATCH } from '../ledger/testing.ts';
import type { AccountId, RunId } from '../submission/ids.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
/** Discard: no Temporal server ever answers there. */
const NO_SERVER = '127.0.0.1:9';

interface Run {
  readonly code: number | null;
  readonly records: Record<string, unknown>[];
  readonly stderr: string;
}

interface Setting {
  readonly account?: string;
  readonly temporal?: string;
}

function folderOf(t: TestContext, { account = 'main', temporal = NO_SERVER }: Setting = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'courier-commands-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'courier.yaml'),
    `version: 1
accounts:
  ${account}: { base_url: "https://service.example/api/v1", api_key: { env: COURIER_API_KEY }, price_per_url: 0.25 TRY }
watches:
  shop: { account: ${account}, project: Shop, sitemaps: ["${join(folder, 'sitemap.xml')}"], hosts: [shop.example], first_run: submit }
temporal: { address: "${temporal}", namespace: default }
ledger: { url: "sqlite:${join(folder, 'ledger.db')}" }
`,
  );
  return folder;
}

async function courier(folder: string, ...args: string[]): Promise<Run> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args, '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const records = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code, records, stderr };
}

const publish = (folder: string, pages: readonly string[]) =>
  writeFileSync(
    join(folder, 'sitemap.xml'),
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${pages
      .map((page) => `<url><loc>${shopUrl(page)}</loc></url>`)
      .join('')}</urlset>`,
  );

/** What the ledger has promised to buy. */
async function planned(folder: string): Promise<number> {
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
  const batches = await listBatches(ledger);
  await ledger.close();
  return batches.reduce((sum, { urls }) => sum + urls, 0);
}

const ofType = ({ records }: Run, type: string) => records.filter((record) => record.type === type);

test('what the ledger knows is shown without Temporal, and a URL released from quarantine is bought again', async (t) => {
  const folder = folderOf(t);
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
  await crawled(ledger, 'first', { 'https://shop.example/sitemap.xml': ['a', 'b'] });
  await planRun(ledger, 'first' as RunId, { account: ACCOUNT, watch: WATCH });
  const [reference] = await sendAll(ledger);
  await endRun(ledger, 'first' as RunId, 'finished');
  await ledger.db.run(sql`UPDATE urls SET state = 'quarantined', reason = 'blocked' WHERE url = ${shopUrl('b')}`);
  await ledger.close();

  const shown = await courier(folder, 'ledger', 'show', 'https://SHOP.example/a#top');
  const [url] = ofType(shown, 'url');
  assert.equal(shown.code, 0);
  assert.equal(shown.records[0]?.type, 'version');
  assert.equal(shown.records.at(-1)?.type, 'summary');
  assert.deepEqual(
    (url!.purchases as { reference: string }[]).map((purchase) => purchase.reference),
    [reference],
  );

  const submission = await courier(folder, 'submissions', 'show', reference!);
  assert.deepEqual(
    ofType(submission, 'url').map((record) => record.url),
    [shopUrl('a'), shopUrl('b')],
  );
  const unknown = await courier(folder, 'submissions', 'show', 'IDX-NONE');
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /no submission "IDX-NONE"/);

  const status = await courier(folder, 'status');
  assert.equal(status.code, 0);
  assert.equal(ofType(status, 'account')[0]?.open, 1);
  assert.match(status.stderr, /Temporal does not answer/);

  assert.equal((await courier(folder, 'quarantine', 'release', 'shop', shopUrl('b'))).code, 0);
  const again = await courier(folder, 'quarantine', 'release', 'shop', shopUrl('b'));
  assert.equal(again.code, 2);
  assert.match(again.stderr, /Not in quarantine/);
  const after = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
  await night(after, 'second', { 'https://shop.example/sitemap.xml': ['a', 'b'] });
  const due = await after.db.all(sql<{ url: string }>`SELECT url FROM urls WHERE due IS NOT NULL`);
  await after.close();
  assert.deepEqual(
    due.map((row) => row.url),
    [shopUrl('b')],
  );
});

test('a command that needs Temporal says so and ends with 5; a watch that is not configured is a usage error', async (t) => {
  const folder = folderOf(t);
  const [approve, pause] = await Promise.all([
    courier(folder, 'approve', 'watch/shop/x'),
    courier(folder, 'watch', 'pause', 'shoe'),
  ]);
  assert.equal(approve.code, 5);
  assert.match(approve.stderr, /No Temporal server answers/);
  assert.equal(pause.code, 2);
  assert.match(pause.stderr, /no watch "shoe".*It has: shop/s);
});

test('a plan buys nothing; applied it buys exactly that, once; out of date or without Temporal it buys nothing', async (t) => {
  const account = `a${randomUUID().slice(0, 8)}`;
  const address = await temporalAddress(t);
  const folder = folderOf(t, { account, temporal: address });
  publish(folder, ['a']);
  const first = await courier(folder, 'plan', '-o', 'old.json', '--detailed-exitcode');
  assert.equal(first.code, 4, first.stderr);
  assert.equal(await planned(folder), 0);

  publish(folder, ['a', 'b']);
  const second = await courier(folder, 'plan', '-o', 'plan.json');
  assert.equal(second.code, 0, second.stderr);
  const [plan] = ofType(second, 'plan');
  assert.deepEqual([plan?.new, plan?.urls, plan?.batches, plan?.cost], [1, 2, 1, 500_000]);
  const stale = await courier(folder, 'apply', 'old.json');
  assert.equal(stale.code, 2);
  assert.match(stale.stderr, /out of date/);
  assert.equal(await planned(folder), 0);

  const offline = await courier(folder, 'apply', 'plan.json', '--config', offlineConfig(folder, address));
  assert.equal(offline.code, 5);
  assert.equal(await planned(folder), 0);

  const applied = await courier(folder, 'apply', 'plan.json');
  assert.equal(applied.code, 0, applied.stderr);
  assert.equal(await planned(folder), 2);
  const connection = await Connection.connect({ address });
  t.after(() => connection.close());
  const dispatcher = new Client({ connection }).workflow.getHandle(dispatcherWorkflowId(account as AccountId));
  assert.equal((await dispatcher.describe()).type, 'dispatchAccount');
  await dispatcher.terminate('the test has seen it');

  const again = await courier(folder, 'apply', 'plan.json');
  assert.equal(again.code, 2);
  assert.match(again.stderr, /applied before/);
  assert.equal(await planned(folder), 2);
});

function offlineConfig(folder: string, address: string): string {
  const file = join(folder, 'offline.yaml');
  writeFileSync(file, readFileSync(join(folder, 'courier.yaml'), 'utf8').replace(address, NO_SERVER));
  return file;
}
