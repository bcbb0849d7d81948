import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkRecords } from '../../../test/support/check-records.ts';
import { sitemapindex, urlset } from '../../../test/support/sitemap/collect.ts';
import { serve, type TestServer } from '../../../test/support/sitemap/server.ts';
import { CLI_OUTPUT } from '../output/records/index.ts';

const program = fileURLToPath(new URL('../main.ts', import.meta.url));
const A = 'https://shop.example/a';

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly records: Record<string, unknown>[];
}

/** Runs `courier crawl`; `act` may do something to the process while it runs. */
async function courier(
  args: readonly string[],
  act: (child: ReturnType<typeof spawn>) => void = () => {},
  env: Record<string, string> = {},
): Promise<Run> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, 'crawl', ...args], {
    env: { ...process.env, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  act(child);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const lines = args.includes('--json') ? stdout.split('\n').filter((line) => line !== '') : [];
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  if (records.length > 0) checkRecords(CLI_OUTPUT, ['crawl', ...args], records);
  return { code, stdout, stderr, records };
}

let server: TestServer;
let folder: string;
/** Called when the page that never answers is asked for. */
let onEndless = () => {};
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'courier-crawl-'));
  server = await serve({
    '/index.xml': sitemapindex('/a.xml', '/gone.xml'),
    '/a.xml': urlset(A, 'https://shop.example/&lt;b&gt;', '/relative', 'https://u:secret@shop.example/'),
    '/many.xml': urlset(...Array.from({ length: 30_000 }, (_, n) => `${A}${n}`)),
    '/endless': () => onEndless(),
    '/busy.xml': (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
  });
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

describe('courier crawl', () => {
  test('--json prints a version, each page as it is read, and a summary with the problems', async () => {
    const { code, records, stderr } = await courier(['--json', '--allow-private-hosts', `${server.origin}/index.xml`]);
    const sitemap = `${server.origin}/a.xml`;
    assert.equal(code, 3);
    assert.deepEqual([records[0]?.type, records[0]?.schema, records[0]?.program], ['version', 1, 'courier']);
    assert.deepEqual(records.slice(1, -1), [
      { type: 'url', loc: A, lastmod: null, sitemap },
      { type: 'url', loc: 'https://shop.example/<b>', lastmod: null, url: 'https://shop.example/%3Cb%3E', sitemap },
      { type: 'url', loc: '/relative', lastmod: null, url: null, relative: true, sitemap },
    ]);
    const { type, urls, sitemaps, complete, problems } = records.at(-1)!;
    assert.deepEqual([type, urls, sitemaps, complete], ['summary', 2, 3, false]);
    const codes = (problems as { code: string }[]).map(({ code }) => code);
    assert.deepEqual(codes.sort(), ['BAD_URL', 'HTTP_STATUS', 'RELATIVE_URL']);
    assert.doesNotMatch(JSON.stringify(records) + stderr, /secret/);
  });

  test('a complete crawl exits 0 and prints one page per line', async () => {
    const { code, stdout, stderr } = await courier(['--allow-private-hosts', `${server.origin}/many.xml`]);
    assert.equal(code, 0);
    assert.equal(stdout.split('\n').length, 30_001);
    assert.match(stderr, /Complete: 30,000 pages in 1 sitemap/);
  });

  test('--quiet is silent about a complete crawl, and says what is missing of another', async () => {
    const args = ['--quiet', '--allow-private-hosts'];
    const whole = await courier([...args, `${server.origin}/many.xml`]);
    assert.deepEqual([whole.code, whole.stderr], [0, '']);
    const partial = await courier([...args, `${server.origin}/index.xml`]);
    assert.equal(partial.code, 3);
    assert.match(
      partial.stderr,
      /^error HTTP_STATUS .*\/gone\.xml: HTTP 404\nNot complete: 2 pages in 3 sitemaps\.\n$/,
    );
    const records = await courier([...args, '--json', `${server.origin}/index.xml`]);
    assert.deepEqual([records.code, records.stderr], [3, ''], 'the summary says it');
  });

  test('--stats prints numbers in place of pages', async () => {
    const path = join(folder, 'twice.xml');
    await writeFile(path, urlset(A, A, 'https://shop.example/b'));
    const { code, records } = await courier(['--json', '--stats', path]);
    assert.equal(code, 0);
    assert.deepEqual(
      records.map(({ type }) => type),
      ['version', 'crawl_stats', 'summary'],
    );
    assert.deepEqual([records[1]?.urls, records[1]?.duplicates, records[2]?.urls], [3, 1, 3]);
    const { stdout } = await courier(['--stats', path]);
    assert.match(stdout, /^pages {7}2, and 1 duplicate\nlastmod/);
    assert.doesNotMatch(stdout, /shop\.example\/a/);
  });

  test('private hosts are refused unless they are allowed', async () => {
    const { code, records } = await courier(['--json', `${server.origin}/a.xml`]);
    assert.equal(code, 3);
    const problems = records.at(-1)?.problems as { code: string }[] | undefined;
    assert.equal(problems?.[0]?.code, 'PRIVATE_HOST');
  });

  test('--state fetches only sitemaps that changed', async () => {
    const args = ['--json', '--allow-private-hosts', '--state', join(folder, 'state'), `${server.origin}/many.xml`];
    assert.equal((await courier(args)).records.at(-1)?.urls, 30_000);
    const { code, records } = await courier(args);
    const { urls, sitemaps, not_modified, complete } = records.at(-1)!;
    assert.deepEqual([code, urls, sitemaps, not_modified, complete], [0, 0, 1, 1, true]);
  });

  test('files and standard input are sources', async () => {
    const file = join(folder, 'sitemap.xml');
    await writeFile(file, urlset(A));
    assert.equal((await courier([file])).stdout, `${A}\n`);
    assert.equal((await courier(['-'], (child) => child.stdin?.end(urlset(A)))).stdout, `${A}\n`);
  });

  const URL_1 = 'http://127.0.0.1:1/s.xml';
  const usage: readonly (readonly [readonly string[], RegExp, Record<string, string>?])[] = [
    [[], /missing required argument/],
    [['/no/such/file.xml'], /There is no file \/no\/such\/file\.xml\. Nothing was read\.$/m],
    [['example.com/sitemap.xml'], /If you mean the address, write https:\/\/example\.com\/sitemap\.xml/],
    [['.'], /is a folder/],
    [['ftp://shop.example/s.xml'], /is not an http, https or file address/],
    [['https://user:secret@shop.example/s.xml'], /send them as a header/],
    [['file://shop.example/s.xml'], /is not an absolute file address/],
    [['file:relative.xml'], /is not an absolute file address/],
    [['--max-urls', 'many', 'x'], /whole number/],
    [['--header', 'unknown', 'x'], /"Name: value"/],
    [['--header', 'Authorization: Bearer secret', URL_1], /write --header-env "authorization: VARIABLE"/],
    [['--header-env', 'X-Test', 'x'], /"Name: VARIABLE"/],
    [['--header-env', 'X-Test: a value', 'x'], /"Name: VARIABLE"/],
    [['--header-env', 'X-Test: NOT_SET', URL_1], /environment variable NOT_SET is not set, so no request was made/],
    [['--as-of', 'yesterday', 'x'], /a W3C date/],
    [['--unknown', 'x'], /unknown option/],
    [['--state', '/etc/passwd', URL_1], /state folder \/etc\/passwd cannot be used: it is not a folder/],
    [['--state', '/proc/nope/state', URL_1], /state folder \/proc\/nope\/state cannot be used/],
    [[URL_1], /HTTP_PROXY is not the address of an http proxy/, { HTTP_PROXY: 'socks5://127.0.0.1:1' }],
  ];
  describe('usage errors', () => {
    for (const [args, message, env] of usage) {
      test(`crawl ${args.join(' ')} ${env === undefined ? '' : JSON.stringify(env)}`, async () => {
        const { code, stderr } = await courier(args, () => {}, env);
        assert.equal(code, 2, stderr);
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /secret|fault|bug|\n {4}at /);
      });
    }
  });

  test('--json prints a version and a summary for wrong arguments too', async () => {
    for (const args of [['--json'], ['--json', '--max-urls', 'many', 'x'], ['--json', '--unknown', 'x']]) {
      const { code, records } = await courier(args);
      assert.deepEqual([code, records.map(({ type }) => type)], [2, ['version', 'summary']]);
      assert.deepEqual([records[1]?.ok, records[1]?.exit_code, typeof records[1]?.error], [false, 2, 'string']);
    }
  });

  test('SIGINT to the launcher alone ends the crawl with its summary', async () => {
    const launcher = fileURLToPath(new URL('../../../bin/courier.mjs', import.meta.url));
    const child = spawn(process.execPath, [
      launcher,
      'crawl',
      '--json',
      '--allow-private-hosts',
      `${server.origin}/endless`,
    ]);
    onEndless = () => child.kill('SIGINT');
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '{}');
    assert.deepEqual([code, last.type, last.exit_code], [130, 'summary', 130]);
  });

  test('a full disk is named as the reason', {
    skip: !existsSync('/dev/full') && 'there is no /dev/full',
  }, async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', program, 'crawl', '--allow-private-hosts', `${server.origin}/many.xml`],
      { stdio: ['ignore', full, 'pipe'] },
    );
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    closeSync(full);
    assert.equal(code, 3);
    assert.match(stderr, /Not complete: .*The output cannot be written: ENOSPC/);
  });

  test('a Retry-After that is too long is in the summary', async () => {
    const { code, records, stderr } = await courier(['--json', '--allow-private-hosts', `${server.origin}/busy.xml`]);
    const [problem] = (records.at(-1)?.problems ?? []) as Record<string, unknown>[];
    assert.deepEqual([code, problem?.code, problem?.retry_after_ms], [3, 'HTTP_STATUS', 3_600_000]);
    assert.match(stderr, /HTTP 429; the server asks to wait 60 min/);
  });

  test('--state reports what a 304 saved, and --respect-crawl-delay the hosts that ask for a delay', async () => {
    const body = urlset(A);
    await using polite = await serve({
      '/robots.txt': 'User-agent: *\nCrawl-delay: 0.1\n',
      '/s.xml': ({ headers }, response) => {
        if (headers['if-none-match'] === '"v1"') response.writeHead(304).end();
        else response.writeHead(200, { etag: '"v1"' }).end(body);
      },
    });
    const args = ['--allow-private-hosts', '--respect-crawl-delay', '--state', join(folder, 'polite')];
    const first = await courier([...args, '--json', `${polite.origin}/s.xml`]);
    const { not_transferred: none, saved_bytes: nothing, delays } = first.records.at(-1) ?? {};
    assert.deepEqual([none, nothing], [0, 0]);
    assert.deepEqual(delays, [{ host: new URL(polite.origin).host, delay_ms: 100, asked_ms: 100 }]);
    assert.match(first.stderr, /asks for 0\.1 s between two requests/);
    const second = await courier([...args, '--json', `${polite.origin}/s.xml`]);
    const summary = second.records.at(-1);
    assert.deepEqual([summary?.not_transferred, summary?.saved_bytes], [1, Buffer.byteLength(body)]);
    assert.match(
      second.stderr,
      /1 of them not modified \(304 for 1: \d+ B and \d\.\d s saved\); slowed down for 1 host/,
    );
  });

  test('--max-urls limits the pages and --header is sent', async () => {
    const limited = ['--max-urls', '5', '--header', 'X-Test: 1', '--header', 'Cookie: a=b'];
    const { code, stdout } = await courier([...limited, '--allow-private-hosts', `${server.origin}/many.xml`]);
    assert.deepEqual([code, stdout.split('\n').length], [3, 6]);
    assert.deepEqual([server.headers.at(-1)?.['x-test'], server.headers.at(-1)?.cookie], ['1', 'a=b']);
  });

  test('--header-env sends what the variable holds, which is in no argument and in no output', async () => {
    const args = ['--verbose', '--header-env', 'Authorization: SITE_LOGIN', '--header-env', 'Cookie: SITE_COOKIE'];
    const env = { SITE_LOGIN: 'Basic canary-1', SITE_COOKIE: 'session=canary-2' };
    const { code, stdout, stderr } = await courier(
      [...args, '--allow-private-hosts', `${server.origin}/a.xml`],
      undefined,
      env,
    );
    const sent = server.headers.at(-1);
    assert.deepEqual([code, sent?.authorization, sent?.cookie], [0, 'Basic canary-1', 'session=canary-2']);
    assert.doesNotMatch(stdout + stderr, /canary/);
  });

  test('--as-of judges the dates of a saved sitemap by another day', async () => {
    const file = join(folder, 'dated.xml');
    await writeFile(file, `<urlset><url><loc>${A}</loc><lastmod>2026-11-21</lastmod></url></urlset>`);
    const judge = async (day: string) => {
      const { records } = await courier(['--json', '--stats', '--as-of', day, file]);
      const stats = records.find(({ type }) => type === 'crawl_stats') as { lastmod_ages: Record<string, number> };
      const { problems } = records.at(-1) as { problems: { code: string }[] };
      return [
        Object.keys(stats.lastmod_ages).filter((age) => stats.lastmod_ages[age] === 1),
        problems.some(({ code }) => code === 'LASTMOD_FUTURE'),
      ];
    };
    assert.deepEqual(await judge('2026-11-23T12:00:00+03:00'), [['week'], false]);
    assert.deepEqual(await judge('2027-11-22'), [['older'], false]);
    assert.deepEqual(await judge('2026-11-01'), [['future'], true]);
  });

  test('Ctrl-C exits 130 with a summary of what was read', async () => {
    const { code, records } = await courier(
      ['--json', '--allow-private-hosts', `${server.origin}/endless`],
      (child) => {
        onEndless = () => child.kill('SIGINT');
      },
    );
    assert.equal(code, 130);
    assert.deepEqual([records.at(-1)?.type, records.at(-1)?.complete], ['summary', false]);
  });

  test('a closed output pipe ends the crawl without an error trace', async () => {
    const { code, stderr } = await courier(['--allow-private-hosts', `${server.origin}/many.xml`], (child) => {
      child.stdout?.once('data', () => child.stdout?.destroy());
    });
    assert.equal(code, 3);
    assert.match(stderr, /Not complete: .*The reader of the output closed it\./);
    assert.doesNotMatch(stderr, /fault|EPIPE/);
  });
});
