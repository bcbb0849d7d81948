/** A build whose worker has stopped while runs of it are open: what says so, and the ways out. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startService } from '../../service/serve.ts';
import { type CommandRun, courier, ofType, publish, startCourier } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { secureTemporal } from '../support/secured-temporal.ts';
import { AMPLE } from '../support/service.ts';
import { openShopFolder } from '../support/shop-folder.ts';
import { temporalAddress } from '../support/temporal.ts';

interface Build {
  /** What it has logged so far. */
  readonly log: () => string;
  stop(): Promise<void>;
}

function startBuild(t: TestContext, folder: string, deployment: string, build: string): Build {
  const child: ChildProcess = startCourier(folder, 'worker', '--deployment', deployment, '--build', build);
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  const closed = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await closed;
  };
  t.after(stop);
  return { log: () => log, stop };
}

async function eventually<T>(what: () => Promise<T | null>, seconds: number): Promise<T> {
  for (const until = Date.now() + seconds * 1_000; ; await pause(500)) {
    const found = await what();
    if (found !== null) return found;
    if (Date.now() > until) assert.fail('it did not happen in time');
  }
}

const runs = (folder: string, code: number, ...args: string[]): Promise<CommandRun> =>
  eventually(async () => {
    const ran = await courier(folder, ...args);
    return ran.code === code ? ran : null;
  }, 60);

/** A sitemap that answers once it is released. */
async function openSlowSite(t: TestContext) {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    if (request.url !== '/sitemap.xml') return void response.writeHead(404).end();
    reached.resolve();
    await released.promise;
    response.end(
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://slow.example/1</loc></url></urlset>',
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, reached: reached.promise, release: released.resolve };
}

describe('a build whose worker has stopped', () => {
  test('its open runs are named with since when and both ways out, and another build continues them', async (t) => {
    const address = await temporalAddress(t);
    const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
    t.after(() => service.close());
    const folder = await openShopFolder(t, service, address, { watch: 'guard: { max_new: 2 }' });
    const site = await openSlowSite(t);
    const file = join(folder, 'courier.yaml');
    const slow = `  slow: { account: main, sitemaps: ["http://127.0.0.1:${site.port}/sitemap.xml"], hosts: [slow.example], allow_private_hosts: ["127.0.0.1"], first_run: submit }\n`;
    writeFileSync(file, readFileSync(file, 'utf8').replace('temporal:', `${slow}temporal:`));
    const deployment = `courier-${randomUUID()}`;

    const a = startBuild(t, folder, deployment, 'A');
    const unpromoted = await eventually(async () => {
      const ran = await courier(folder, 'status', '--check');
      return /no build is current/.test(ran.stderr + JSON.stringify(ran.records)) ? ran : null;
    }, 60);
    assert.equal(unpromoted.code, 3);
    const promote = `courier deployments promote ${deployment} A`;
    assert.match(String(ofType(unpromoted, 'problem')[0]?.problem), new RegExp(`poll as build A of .*: ${promote}`));
    const early = await courier(folder, 'run', 'shop');
    assert.equal(early.code, 5);
    assert.match(early.stderr, /No build is current, .* Nothing was started or charged\. Courier deployments promote/i);

    const refused = await courier(folder, 'deployments', 'promote', deployment, 'Z');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /did not promote build Z .* Nothing was changed\..*--build Z/);
    await runs(folder, 0, 'deployments', 'promote', deployment, 'A');
    publish(folder, ['1', '2', '3']);
    const held = await courier(folder, 'run', 'shop');
    assert.equal(held.code, 8, held.stderr);
    const run = /courier approve (\S+)"/.exec(held.stderr)?.[1] ?? assert.fail(held.stderr);
    const crawling = startCourier(folder, 'run', 'slow');
    await site.reached;
    crawling.kill('SIGTERM');

    const b = startBuild(t, folder, deployment, 'B');
    await runs(folder, 0, 'deployments', 'promote', deployment, 'B');
    const alive = await courier(folder, 'deployments', 'move', run, '--to', 'B');
    assert.equal(alive.code, 2);
    assert.match(alive.stderr, /Build A of .* has workers, which continue the run\. Nothing was changed/);
    await a.stop();

    const checked = await eventually(async () => {
      const ran = await courier(folder, 'status', '--check');
      const found = ofType(ran, 'problem').filter(({ problem }) => /waits for build A/.test(String(problem)));
      return found.length === 2 ? { ran, found } : null;
    }, 120);
    const said = String(checked.found.find(({ subject }) => subject === 'shop')?.problem);
    assert.match(
      said,
      new RegExp(
        `^${run} waits for build A of ${deployment}, of which no worker is running; its last step was at 20\\S+ .*\\. ` +
          'Until then it plans no URL, so nothing more of it is charged, and shop begins no other run: ' +
          `start "courier worker --deployment ${deployment} --build A", or move it to build B: ` +
          `courier deployments move ${run} --to B$`,
      ),
    );
    const crawl = /courier deployments move (\S+)/.exec(
      String(checked.found.find(({ subject }) => subject === 'slow')?.problem),
    )?.[1];

    const doctor = await courier(folder, 'doctor', '--no-sitemaps');
    const findings = ofType(doctor, 'finding').filter(({ check }) => check === 'worker');
    assert.deepEqual(findings.map(({ subject, level }) => [subject, level]).toSorted(), [
      ['shop', 'fail'],
      ['slow', 'fail'],
    ]);
    const approved = await courier(folder, 'approve', run);
    assert.equal(approved.code, 5);
    assert.match(
      approved.stderr,
      /waits for build A .* Nothing was decided, submitted or charged\. Start "courier worker/,
    );
    const once = await courier(folder, 'approve', run, '--once');
    assert.equal(once.code, 5);
    assert.match(once.stderr, /waits for build A .* Nothing was decided, submitted or charged/);
    const again = await courier(folder, 'run', 'slow');
    assert.equal(again.code, 9, again.stderr);
    assert.match(again.stderr, /slow: \S+ waits for build A .* This run began nothing/);
    await eventually(async () => (/waits for build A/.test(b.log()) ? true : null), 60);

    const moved = await courier(folder, 'deployments', 'move', run, '--to', 'B');
    assert.equal(moved.code, 0, moved.stderr);
    assert.deepEqual(ofType(moved, 'moved_run'), [{ type: 'moved_run', run, deployment, from: 'A', build: 'B' }]);
    const decided = await courier(folder, 'approve', run);
    assert.equal(decided.code, 0, decided.stderr);
    site.release();
    assert.equal((await courier(folder, 'deployments', 'move', String(crawl), '--to', 'B')).code, 0);
    await eventually(async () => {
      const ran = await courier(folder, 'status');
      const submitted = ofType(ran, 'watch').map(
        ({ last_run: last }) => (last as { submitted: number } | null)?.submitted,
      );
      return submitted.join() === '3,1' ? true : null;
    }, 60);
    assert.equal((await runs(folder, 0, 'status', '--check')).code, 0);
    await eventually(async () => (/workers take all work of this ledger again/.test(b.log()) ? true : null), 60);
  });
});

describe('a connection without the rights of Worker Versioning', () => {
  test('the worker works and says what it cannot see, doctor warns, and promote names the right', async (t) => {
    const target = await temporalAddress(t);
    const method = (name: string) => `/temporal.api.workflowservice.v1.WorkflowService/${name}`;
    const missing = [
      'DescribeTaskQueue',
      'DescribeWorkerDeployment',
      'SetWorkerDeploymentCurrentVersion',
      'UpdateWorkerDeploymentVersionMetadata',
    ].map(method);
    const denial = { code: 7, message: 'Request unauthorized.' };
    const { address } = await secureTemporal(t, { target, deny: (name) => (missing.includes(name) ? denial : null) });
    const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
    t.after(() => service.close());
    const folder = await openShopFolder(t, service, address);
    publish(folder, ['1']);
    const once = await courier(folder, 'run', '--once');
    assert.equal(once.code, 0, once.stderr);

    const deployment = `courier-${randomUUID()}`;
    const worker = startBuild(t, folder, deployment, 'A');
    await eventually(async () => (/see who works: a build without workers/.test(worker.log()) ? true : null), 60);
    assert.match(worker.log(), /write the metadata of its build: .*cannot move a run to it/);
    const doctor = await courier(folder, 'doctor', '--no-sitemaps');
    const [finding] = ofType(doctor, 'finding').filter(({ check }) => check === 'worker');
    assert.deepEqual(
      [finding?.level, finding?.message],
      ['warn', 'the Temporal server does not let this connection see who works'],
    );
    const checked = await courier(folder, 'status', '--check');
    assert.equal(checked.code, 0, checked.stderr);
    const promoted = await courier(folder, 'deployments', 'promote', deployment, 'A');
    assert.equal(promoted.code, 2);
    assert.match(promoted.stderr, /denies a permission that this connection needs \(Request unauthorized/);
  });
});

describe('a Temporal server that is away', () => {
  test('is a problem of status and of status --check, with exit code 5', async (t) => {
    const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
    t.after(() => service.close());
    const folder = await openShopFolder(t, service, '127.0.0.1:9');
    const checked = await courier(folder, 'status', '--check');
    assert.equal(checked.code, 5);
    const [problem] = ofType(checked, 'problem');
    assert.equal(problem?.subject, 'temporal');
    assert.match(
      String(problem?.problem),
      /^No Temporal server responds at 127\.0\.0\.1:9 .*Nothing was submitted or charged/,
    );
  });
});
