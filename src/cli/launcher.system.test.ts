import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isAlive } from '../temporal/is-alive.ts';

const launcher = fileURLToPath(new URL('../../bin/courier.mjs', import.meta.url));

/** A sitemap that never answers: the crawl runs until a signal ends it. */
let site: Server;
let onRequest = () => {};
before(async () => {
  site = createServer(() => onRequest()).listen(0, '127.0.0.1');
  await once(site, 'listening');
});
after(() => {
  site.closeAllConnections();
  site.close();
});

async function startCrawl(): Promise<ChildProcess> {
  const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/sitemap.xml`;
  const requested = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const child = spawn(process.execPath, [launcher, 'crawl', '--json', '--allow-private-hosts', address], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await requested;
  return child;
}

async function readSummary(child: ChildProcess): Promise<Record<string, unknown>> {
  let stdout = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  await once(child, 'close');
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, unknown>;
}

describe('courier launcher', () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    test(`forwards a ${signal} to the program, which shuts down and exits with ${code}`, async () => {
      const child = await startCrawl();
      const summary = readSummary(child);
      child.kill(signal);
      assert.equal((await summary).exit_code, code);
      assert.equal(child.exitCode, code);
    });
  }

  test('ends the program when the launcher is killed', { skip: process.platform !== 'linux' }, async () => {
    const child = await startCrawl();
    const summary = readSummary(child);
    child.kill('SIGKILL');
    assert.equal((await summary).exit_code, 143, 'the program shut down cleanly');
    assert.ok(!isAlive(child.pid ?? 0));
  });

  test('keeps the environment out of the crash report of Node', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-crash-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const hook = join(folder, 'hook.mjs');
    writeFileSync(
      hook,
      'if (/main\\.[jt]s$/.test(process.argv[1])) for (const kept = []; ; ) kept.push(Array(1e4).fill(0.5));\n',
    );
    const options = `--report-on-fatalerror --report-directory=${folder} --max-old-space-size=40 --import=${hook}`;
    const child = spawn(process.execPath, [launcher, 'schema'], {
      cwd: folder,
      env: { ...process.env, NODE_OPTIONS: options, COURIER_API_KEY: 'canary-of-the-report' },
      stdio: 'ignore',
    });
    await once(child, 'close');
    const reports = readdirSync(folder).filter((name) => name.endsWith('.json'));
    assert.equal(reports.length, 1, 'the program ran out of memory and left a report');
    const text = readFileSync(join(folder, reports[0] ?? ''), 'utf8');
    assert.match(text, /Allocation failed/);
    assert.doesNotMatch(text, /canary-of-the-report/);
  });
});
