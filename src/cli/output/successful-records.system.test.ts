/** Every command of `courier` once with success, on real ledgers, a real service, Temporal and a worker. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { startService } from '../../../service/serve.ts';
import { type CommandRun, ended, folderFor, ofType, openCommands, startCourier } from '../../../test/support/cli.ts';
import { emptyDatabaseUrl } from '../../../test/support/database.ts';
import { ACCOUNT, crawled, DAY, NO_GUARD, sendOne, shopUrl, WATCH } from '../../../test/support/ledger.ts';
import { root } from '../../../test/support/pages.ts';
import { AMPLE, lira, TestClient } from '../../../test/support/service.ts';
import { temporalAddress } from '../../../test/support/temporal.ts';
import { listNodes, readCommandTree } from '../../cli-kit/command-tree.ts';
import { EXIT, EXIT_MEANING, type ExitCode } from '../../cli-kit/exit-codes.ts';
import { getRecordName } from '../../cli-kit/record-schema.ts';
import { sql } from '../../database/sql.ts';
import { reviewBatch } from '../../ledger/batches/review-batch.ts';
import { recordPoll } from '../../ledger/jobs/record-poll.ts';
import { recordUrlResults, settleJob } from '../../ledger/jobs/settle-job.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { judgeRun } from '../../ledger/plans/judge-run.ts';
import { planRun } from '../../ledger/plans/make-plan.ts';
import { assignReason } from '../../ledger/reason-columns.ts';
import { endRun } from '../../ledger/runs/runs.ts';
import type { BatchId, Reference, RunId } from '../../submission/ids.ts';
import { createCourier } from '../program.ts';
import { CLI_OUTPUT } from './records/index.ts';

const FORGET_TEST = 'src/cli/commands/ledger-forget.system.test.ts';

/** Commands that another file runs with success and whose records it checks as well: why not here, and where it does. */
const ELSEWHERE: Readonly<Record<string, { readonly why: string; readonly file: string; readonly success: string }>> = {
  demo: {
    why: 'it starts a service and a Temporal server of its own',
    file: 'test/e2e/demo.test.ts',
    success: 'assert.equal(first.code, 0, first.output);',
  },
  'deployments move': {
    why: 'it needs a build whose worker has stopped for more than a minute',
    file: 'test/e2e/builds.test.ts',
    success: 'assert.equal(moved.code, 0, moved.stderr);',
  },
  'ledger forget': {
    why: 'it needs a watch that was removed and has nothing under way',
    file: FORGET_TEST,
    success: 'assert.deepEqual([forgotten.code, pages, kept], [0, 2, 0], forgotten.stderr);',
  },
};

/** Records of a success that another file prints: these scenes forget no page. */
const LEARN_TEST = 'src/cli/commands/doctor-learn.system.test.ts';
const RECORDS_ELSEWHERE = [
  { command: 'ledger export', record: 'forgotten_url', file: FORGET_TEST },
  { command: 'doctor', record: 'trial', file: 'src/cli/commands/doctor-spend.system.test.ts' },
  { command: 'doctor', record: 'reading', file: LEARN_TEST },
  { command: 'doctor', record: 'proposal', file: LEARN_TEST },
  { command: 'doctor', record: 'block', file: LEARN_TEST },
];

/** Commands that print a script or a schema, and no records. */
const WITHOUT_RECORDS = ['completion', 'schema'];

/** Runs commands and keeps which ones succeeded, and what they printed. */
class Asked {
  readonly commands = new Set<string>();
  readonly types = new Map<string, Set<string>>();

  /** The records were checked by `openCommands` or `ended`; here: the code, and that the summary says the same. */
  async keep(command: string, running: Promise<CommandRun>, code: ExitCode = EXIT.done): Promise<CommandRun> {
    const run = await running;
    assert.equal(run.code, code, `${command}: ${run.stderr}${JSON.stringify(run.records)}`);
    const { exit_code, ok, error } = run.records.at(-1) ?? {};
    assert.deepEqual([exit_code, ok, error], [code, code === EXIT.done, undefined], command);
    this.commands.add(command);
    const types = this.types.get(command) ?? new Set();
    for (const { type } of run.records) types.add(String(type));
    this.types.set(command, types);
    return run;
  }
}

describe('a command that succeeds', () => {
  test('prints the records that are published for it, and exits with the code of the table', async (t) => {
    const asked = new Asked();
    await askAtRest(t, asked);
    await askAtWork(t, asked);
    const published = Object.keys(CLI_OUTPUT);
    assert.deepEqual([...asked.commands, ...Object.keys(ELSEWHERE)].toSorted(), published.toSorted());
    const leaves = listNodes(await readCommandTree(createCourier())).filter(
      ({ children, path }) => children.length === 0 && path[0] !== 'help',
    );
    assert.deepEqual(
      leaves.map(({ path }) => path.join(' ')).toSorted(),
      [...published, ...WITHOUT_RECORDS].toSorted(),
      'every command is published',
    );
    const missing = [...asked.types].flatMap(([command, types]) =>
      (CLI_OUTPUT[command]?.records ?? [])
        .map(getRecordName)
        .flatMap((name) => (types.has(name) ? [] : [[command, name]])),
    );
    const elsewhere = RECORDS_ELSEWHERE.map(({ command, record }) => [command, record]);
    assert.deepEqual(missing, elsewhere, 'every published record was printed');
  });

  test('runs in another test where it needs more than these scenes', () => {
    for (const { file, success } of Object.values(ELSEWHERE))
      assert.ok(readFileSync(join(root, file), 'utf8').includes(success), `${file} has no ${success}`);
    for (const { file, record } of RECORDS_ELSEWHERE)
      assert.ok(readFileSync(join(root, file), 'utf8').includes(`'${record}'`), `${file} has no ${record}`);
  });

  test('has an exit code that the reference lists', () => {
    const page = readFileSync(join(root, 'docs/reference/exit-codes.md'), 'utf8');
    for (const [code, { meaning }] of Object.entries(EXIT_MEANING))
      assert.ok(page.includes(`| ${code} | ${meaning} |`));
  });
});

const SITEMAP = 'https://shop.example/sitemap.xml';

/** Commands that read or change the ledger alone; no server answers. */
async function askAtRest(t: TestContext, asked: Asked): Promise<void> {
  const folder = folderFor(
    t,
    () => `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { file: key }, price_per_url: 0.25 TRY }
watches:
  shop:
    account: main
    sitemaps: ["${SITEMAP}"]
    schedule: { cron: "30 4 * * *" }
    index_check: {}
    spend: { per_day: 20 TRY, per_month: 10 TRY } # of which validate warns
retention: { runs: 90d }
temporal: { address: "127.0.0.1:9" }
ledger: { url: "sqlite:ledger.db" }
`,
  );
  writeFileSync(join(folder, 'key'), 'a-key-that-nobody-asks-for');
  writeFileSync(join(folder, 'urls.txt'), `${shopUrl('bought-before')}\n`);
  await fillLedger(join(folder, 'ledger.db'));
  const courier = openCommands(t, folder);
  const run = (command: string, ...args: readonly string[]) =>
    asked.keep(command, courier(...command.split(' '), ...args));
  await run('validate');
  await run('config show');
  await run('crawl', 'urls.txt');
  await run('crawl', 'urls.txt', '--stats');
  writeFileSync(join(folder, 'one-more.txt'), `${shopUrl('bought-before')}\n${shopUrl('one-more')}\n`);
  await run('crawl', 'one-more.txt', '--compare', 'urls.txt');
  await run('status');
  await asked.keep('status', courier('status', '--check'), EXIT.guard);
  await run('tonight');
  await run('why', shopUrl('1'));
  await run('why', 'https://SHOP.example/1/');
  await run('spend');
  await run('report', '-o', 'report.html');
  await run('index-checks list');
  await run('batches list');
  await run('batches show', '1');
  await run('submissions list');
  await run('submissions show', 'R-1');
  await run('ledger export');
  await run('ledger show', shopUrl('1'));
  await run('quarantine list');
  await run('batches resolve', '2', '--release');
  await run('batches cancel', '3');
  await run('submissions resolve', 'R-1', '--leave');
  await run('accounts resume', 'main');
  await run('accounts move', 'main');
  await run('quarantine release', 'shop', shopUrl('2'));
  await run('ledger import', 'urls.txt', '--watch', 'shop', '--yes');
  await run('ledger prune');
  await run('backup', 'copy.db');
  await run('restore', 'copy.db');
}

/** An overdue job and one that has ended, a batch that needs review, one that was never sent, a URL in quarantine and a run that is held. */
async function fillLedger(file: string): Promise<void> {
  let now = Date.now() - 9 * DAY;
  const ledger = await openLedger(`sqlite:${file}`, { now: () => now });
  const account = { account: ACCOUNT, watch: WATCH };
  const pages: string[] = [];
  for (const [at, added] of [['1', '2', '3'], ['4'], ['5'], ['6', '7']].entries()) {
    pages.push(...added);
    await crawled(ledger, `r${at}`, { [SITEMAP]: pages });
    await planRun(ledger, `r${at}` as RunId, account);
    await endRun(ledger, `r${at}` as RunId, 'finished');
    if (at === 0 || at === 3) await sendOne(ledger, (at + 1) as BatchId);
  }
  await recordUrlResults(ledger, ACCOUNT.id, 'R-1' as Reference, [
    { url: shopUrl('1'), result: 'completed', reason: null },
  ]);
  const ended = 'R-4' as Reference;
  await recordUrlResults(ledger, ACCOUNT.id, ended, [{ url: shopUrl('7'), result: 'failed', reason: 'blocked' }]);
  await recordPoll(ledger, ACCOUNT.id, ended, { state: 'completed', terminalStates: ['completed'] });
  await settleJob(ledger, ACCOUNT.id, ended, { retryFailed: { times: 1, afterMs: DAY } });
  await reviewBatch(ledger, 2 as BatchId, { code: 'reported', text: 'the service answered 409' });
  await ledger.db.run(sql`
    UPDATE urls SET state = 'quarantined', ${assignReason({ code: 'reported', text: 'blocked' })}
    WHERE url = ${shopUrl('2')}`);
  await ledger.db.run(sql`
    INSERT INTO check_queue (url_id, watch_id, completed_at, next_at, checks, misses, last_check_at)
    SELECT id, watch_id, ${now}, ${now}, 1, 1, ${now} FROM urls WHERE url = ${shopUrl('1')}`);
  now += 8.5 * DAY;
  await crawled(ledger, 'held', { [SITEMAP]: [...pages, '8'] });
  await judgeRun(ledger, 'held' as RunId, { ...NO_GUARD, maxNew: 0 });
  await ledger.close();
}

/** Commands that need a service, a site, Temporal or a worker. */
async function askAtWork(t: TestContext, asked: Asked): Promise<void> {
  const temporal = await temporalAddress(t);
  const service = await startService({
    database: emptyDatabaseUrl(t, 'sqlite'),
    settings: { budgets: AMPLE },
    temporal: { address: temporal, namespace: 'default', taskQueue: `service-${randomUUID()}` },
    simulated: { fastMs: 100, standardMs: 100 },
  });
  t.after(() => service.close());
  const account = { name: `Records ${randomUUID()}`, balance: lira('1000'), price: lira('0.25') };
  const { apiKey } = await service.accounts.createKey({ account: (await service.accounts.createAccount(account)).id });
  const site = await openSite(t);
  const folder = folderFor(t, () => configure(service.baseUrl, temporal, site));
  writeFileSync(join(folder, 'key'), apiKey);
  const courier = openCommands(t, folder);
  const run = (command: string, ...args: readonly string[]) =>
    asked.keep(command, courier(...command.split(' '), ...args));
  const base = ['--base-url', service.baseUrl, '--allow-private-hosts'];
  await run('init', `${site}/shop.xml`, ...base, '--config', 'new.yaml');

  const deployment = `records-${randomUUID()}`;
  const worker = startCourier(folder, 'worker', '--deployment', deployment, '--build', '1');
  t.after(() => worker.kill('SIGKILL'));
  const works = ended(worker);
  await waitForLine(worker.stderr, /deployments promote/);
  await run('deployments list', deployment);
  await run('deployments promote', deployment, '1');
  await run('doctor');
  await run('notify test');
  await run('plan', 'shop', '--urls', '-o', 'plan.json');
  await run('apply', 'plan.json');
  await run('run', 'other', '--wait');
  const checked = await run('index-check', 'other');
  assert.equal(ofType(checked, 'index_check')[0]?.checked, 2, checked.stderr);
  const held = await courier('run', 'guarded', 'watched');
  assert.equal(held.code, EXIT.guard, held.stderr);
  const [first, second] = ofType(await run('status'), 'watch').flatMap(({ held: runs }) =>
    (runs as { run: string }[]).map(({ run: name }) => name),
  );
  await run('approve', String(first), '--once');
  await run('reject', String(second), '--once');
  await run('watch list');
  await run('watch pause', 'other');
  await run('watch resume', 'other');
  await run('watch trigger', 'other');
  worker.kill('SIGTERM');
  await asked.keep('worker', works, EXIT.terminated);
  await run('report', '-o', 'report.html');
  await service.accounts.topUp(account.name, lira('1'));
  await run('audit');
  const elsewhere = { project: 'Elsewhere', urls: ['https://elsewhere.example/1'] };
  await new TestClient(service.baseUrl, apiKey).post('/submissions', `elsewhere-${randomUUID()}`, elsewhere);
  await run('recover', '--accept');
  await askEncrypted(t, asked);
}

/** The codec server, which needs a key and serves until a signal ends it. */
async function askEncrypted(t: TestContext, asked: Asked): Promise<void> {
  const folder = folderFor(
    t,
    () => `version: 1
accounts: { main: { base_url: "https://service.example/api/v1", api_key: { file: key } } }
watches: { shop: { account: main, sitemaps: ["${SITEMAP}"] } }
temporal: { address: "127.0.0.1:9", encryption: { key: { file: payload.key } } }
`,
  );
  writeFileSync(join(folder, 'payload.key'), randomBytes(32).toString('base64'));
  const server = startCourier(folder, 'codec-server', '--port', '0');
  t.after(() => server.kill('SIGKILL'));
  const serves = ended(server);
  await waitForLine(server.stdout, /"listening"/);
  server.kill('SIGTERM');
  await asked.keep('codec-server', serves, EXIT.terminated);
}

const configure = (baseUrl: string, temporal: string, site: string): string => {
  const soon = '{ first: 1s, min: 1s, max: 2s }';
  const watch = (name: string, more: string) =>
    `  ${name}: { account: main, project: Site, sitemaps: ["${site}/${name}.xml"], allow_private_hosts: [127.0.0.1], first_run: submit, ${more} }`;
  return `version: 1
accounts:
  main: { base_url: "${baseUrl}", api_key: { file: key }, tracking: { fast: ${soon}, standard: ${soon} } }
watches:
${watch('shop', 'paused: true')}
${watch('other', 'schedule: { cron: "30 4 * * *" }, index_check: { after: 0s }')}
${watch('guarded', 'guard: { max_new: 1 }')}
${watch('watched', 'guard: { max_new: 1 }')}
notify: { channels: { ops: { webhook: { url: "${site}/hook" } } } }
temporal: { address: "${temporal}", namespace: default }
ledger: { url: "sqlite:ledger.db" }
`;
};

/** A site whose sitemaps name two pages each; it accepts every message. */
async function openSite(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    const [, name] = /^\/(\w+)\.xml$/.exec(request.url ?? '') ?? [];
    if (name === undefined && request.method !== 'POST') response.statusCode = 404;
    const pages = [1, 2].map((n) => `<url><loc>http://${request.headers.host}/${name}/${n}</loc></url>`).join('');
    response.setHeader('content-type', 'application/xml');
    response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${pages}</urlset>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function waitForLine(stream: NodeJS.ReadableStream | null, pattern: RegExp): Promise<void> {
  let text = '';
  await new Promise<void>((resolve, reject) => {
    stream?.on('data', (chunk) => {
      text += String(chunk);
      if (pattern.test(text)) resolve();
    });
    stream?.on('close', () => reject(new Error(`the command ended: ${text}`)));
  });
}
