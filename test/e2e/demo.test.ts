/** The main job as a user starts it: every program real, over HTTP and Temporal, in a folder of its own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CLI_OUTPUT } from '../../src/cli/output/records/index.ts';
import { checkRecords } from '../support/check-records.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const PRICE = 250_000;
const CHECK_PRICE = 500_000;

interface Ended {
  readonly code: number | null;
  readonly records: readonly Record<string, unknown>[];
  readonly output: string;
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'courier-e2e-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function courier(folder: string, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args, '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const records = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  checkRecords(CLI_OUTPUT, args, records);
  return { code, records, output: stdout + stderr };
}

const watches = ({ records }: Ended) => records.filter(({ type }) => type === 'demo_watch') as unknown as Line[];
interface Line {
  readonly submitted: number;
  readonly completed: number;
  readonly charged_micros: number;
  readonly checked: number;
  readonly charged_checks_micros: number;
}

/** What the service's own database says, apart from anything the connector claims. */
function readService(folder: string) {
  const db = new DatabaseSync(join(folder, '.courier/demo/service.db'), { readOnly: true });
  try {
    const one = (text: string) => Number(Object.values(db.prepare(text).get() ?? {})[0]);
    return {
      charged: one("SELECT coalesce(sum(-amount), 0) FROM entries WHERE kind = 'charge'"),
      urls: one('SELECT count(*) FROM submission_urls'),
      unique: one('SELECT count(DISTINCT url) FROM submission_urls'),
    };
  } finally {
    db.close();
  }
}

describe('courier demo', () => {
  test('new URLs are bought once, at their price, and never again', async (t) => {
    const folder = folderOf(t);
    const first = await courier(folder, 'demo', '--once');
    assert.equal(first.code, 0, first.output);
    const [all, published] = watches(first);
    assert.deepEqual([all!.submitted, published!.submitted], [420, 12]);
    for (const line of [all!, published!]) {
      assert.equal(line.completed, line.submitted);
      assert.equal(line.charged_micros, line.submitted * PRICE);
      assert.equal(line.charged_checks_micros, line.checked * CHECK_PRICE);
    }
    const paid = [all!, published!].reduce((sum, line) => sum + line.charged_micros + line.charged_checks_micros, 0);
    assert.deepEqual(readService(folder), { charged: paid, urls: 432, unique: 432 });

    const second = await courier(folder, 'demo', '--once');
    assert.equal(second.code, 0, second.output);
    assert.deepEqual(
      watches(second).map((line) => [line.submitted, line.charged_micros]),
      [[0, 0]],
    );
    assert.deepEqual(readService(folder).urls, 432);

    // The API key is in its file and in the Authorization header; nowhere else.
    const key = readFileSync(join(folder, '.courier/demo/api-key'), 'utf8').trim();
    assert.ok(key.length > 40);
    for (const file of readdirSync(join(folder, '.courier/demo')).filter((name) => name !== 'api-key')) {
      assert.ok(!readFileSync(join(folder, '.courier/demo', file)).includes(key), `${file} holds the API key`);
    }
    assert.ok(!`${first.output}${second.output}`.includes(key), 'the API key was printed');
  });

  test('unusable sitemaps are named with what was found, cost nothing and exit with 3', async (t) => {
    const folder = folderOf(t);
    const site = createServer((request, response) => {
      const pages: Record<string, [number, string]> = {
        '/page.xml': [200, '<!doctype html><html><body>Welcome</body></html>'],
        '/empty.xml': [200, '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>'],
      };
      const [status, body] = pages[request.url ?? ''] ?? [404, 'none'];
      response.writeHead(status).end(body);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    t.after(() => site.close());
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const run = await courier(
      folder,
      'demo',
      '--once',
      `${origin}/missing.xml`,
      `${origin}/page.xml`,
      `${origin}/empty.xml`,
    );
    assert.equal(run.code, 3, run.output);
    const summary = run.records.at(-1) as { ok: boolean; notices: string[] };
    assert.equal(summary.ok, false);
    for (const [name, found] of [
      ['missing.xml', /404/],
      ['page.xml', /HTML/i],
      ['empty.xml', /no URL|EMPTY|lists no/i],
    ] as const) {
      const sentence = summary.notices.find((text) => text.includes(`/${name}`));
      assert.match(sentence ?? '', found, `${name}: ${summary.notices.join('\n')}`);
      assert.match(sentence ?? '', /Nothing was submitted or charged/);
    }
    assert.deepEqual(readService(folder), { charged: 0, urls: 0, unique: 0 });
  });

  test('a missing file and an invalid address are usage errors, and nothing starts', async (t) => {
    const folder = folderOf(t);
    for (const argument of ['no-such-file.xml', 'ftp://shop.example/sitemap.xml', 'https://']) {
      const run = await courier(folder, 'demo', '--once', argument);
      assert.equal(run.code, 2, run.output);
      assert.match(run.output, /Nothing was started and nothing was charged/);
    }
    assert.ok(!readdirSync(folder).includes('.courier'));
  });
});
