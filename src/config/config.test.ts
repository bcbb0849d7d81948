import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AccountId, WatchId } from '../submission/ids.ts';
import { createStatusMapping } from '../submission/status-map.ts';
import { ConfigError } from './config-error.ts';
import { parseDuration } from './duration.ts';
import { readConfig } from './load.ts';

const good = `version: 1
accounts:
  main:
    base_url: https://indexing.example/api/v1/
    api_key: { env: COURIER_API_KEY }
    spend: { per_day: 500 TRY, balance_floor: "100" }
defaults:
  service: fast
watches:
  shop:
    account: main
    sitemaps: [https://shop.example/sitemap.xml, local/site.xml]
    resubmit: { on_lastmod_change: true, not_within: 30d }
    index_check: { sample: 10%, per_day: 50 TRY }
`;

function problemsOf(text: string): string[] {
  try {
    readConfig(text, 'courier.yaml');
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map((p) => `${p.line}:${p.column} ${p.message}`);
    throw error;
  }
  return [];
}

describe('readConfig', () => {
  test('durations, money, defaults and paths are resolved', () => {
    const config = readConfig(good, '/etc/courier/courier.yaml');
    const account = config.accounts.get('main' as AccountId)!;
    const watch = config.watches.get('shop' as WatchId)!;
    assert.equal(account.baseUrl, 'https://indexing.example/api/v1');
    assert.equal(account.spend.perDay, 500_000_000);
    assert.equal(account.spend.balanceFloor, 100_000_000);
    assert.equal(account.limits.submissionsPerMinute, 10);
    assert.equal(watch.service, 'fast');
    assert.equal(watch.resubmit.notWithinMs, 30 * 86_400_000);
    assert.equal(watch.indexCheck?.sample, 0.1);
    assert.deepEqual(watch.hosts, ['shop.example']);
    assert.equal(watch.sources[1], '/etc/courier/local/site.xml');
    assert.equal(config.ledgerUrl, 'sqlite:/etc/courier/.courier/ledger.db');
  });

  test('a first run buys nothing unless the file says so', () => {
    assert.equal(readConfig(good, 'c.yaml').watches.get('shop' as WatchId)?.firstRun, 'baseline');
  });

  test('reports a misspelt setting with its line and the likely setting', () => {
    assert.deepEqual(
      problemsOf(good.replace('sitemaps:', 'sitemap:'))[0],
      '12:14 unknown setting "sitemap"; did you mean "sitemaps"?',
    );
  });

  test('rejects an API key in the file without repeating it', () => {
    const [problem] = problemsOf(good.replace('{ env: COURIER_API_KEY }', 'usk_live_canary'));
    assert.match(problem!, /5:14 .*do not put the key itself here/);
    assert.doesNotMatch(problem!, /canary/);
  });

  test('reports every mistake at once, each with its position', () => {
    const problems = problemsOf(
      good.replace('account: main', 'account: mian').replace('500 TRY', 'much').replace('version: 1', 'version: 2'),
    );
    assert.equal(problems.length, 2, problems.join('\n'));
    assert.match(problems.join('\n'), /1:10 version/);
    assert.match(problems.join('\n'), /6:23 accounts.main.spend.per_day: "much" is not valid/);
    assert.match(
      problemsOf(good.replace('account: main', 'account: mian'))[0]!,
      /11:14 .*no account "mian"; the accounts are: main/,
    );
  });

  test('reports invalid YAML, an empty file and a repeated key with their line', () => {
    assert.match(problemsOf('version: [1')[0]!, /^\d+:\d+ /);
    assert.match(problemsOf('')[0]!, /1:1 the file is empty/);
    assert.match(problemsOf(`${good}version: 1\n`)[0]!, /unique/);
  });

  test('rejects a schedule that Temporal would reject', () => {
    const scheduled = (schedule: string) => good.replace('account: main', `account: main\n    schedule: ${schedule}`);
    assert.match(problemsOf(scheduled('{ cron: "30 4 * *  " }'))[0]!, /does not have five fields/);
    assert.match(
      problemsOf(scheduled('{ cron: "30 4 * * *", timezone: Mars/Base }'))[0]!,
      /"Mars\/Base" is not a time zone/,
    );
  });

  test('reads a price as one amount for both service levels, or one for each', () => {
    assert.deepEqual(accountWith('    price_per_url: 0.25 TRY').pricePerUrl, { standard: 250_000, fast: 250_000 });
    assert.deepEqual(accountWith('    price_per_url: { standard: 0.25 TRY, fast: 0.50 TRY }').pricePerUrl, {
      standard: 250_000,
      fast: 500_000,
    });
    assert.deepEqual(accountWith('    price_per_url: { fast: 0.50 TRY }').pricePerUrl, {
      standard: null,
      fast: 500_000,
    });
    assert.deepEqual(accountWith('').pricePerUrl, { standard: null, fast: null });
  });

  test('rejects a glob over a whole URL, which would match nothing', () => {
    const [problem] = problemsOf(
      good.replace('account: main', 'account: main\n    exclude: ["https://shop.example/drafts/**"]'),
    );
    assert.match(problem ?? '', /exclude.0: .*Write it as|exclude.0: .*path pattern/);
  });

  describe('hosts and globs that no URL can match', () => {
    const withWatch = (lines: string) => problemsOf(good.replace('    account: main', `    account: main\n${lines}`));
    const cases: readonly (readonly [string, RegExp])[] = [
      ['    exclude: ["/ok/**", "*.html"]', /^12:25 watches.shop.exclude.1: "\*\.html": no URL matches it: every path/],
      ['    exclude: ["/drafts/[**"]', /^12:15 watches.shop.exclude.0: .*"\[" is not closed/],
      ['    include: ["/p?id=*"]', /^12:15 watches.shop.include.0: .*without the query/],
      [
        '    hosts: ["http://shop.example"]',
        /^12:13 watches.shop.hosts.0: "http:\/\/shop.example": .*Write "shop.example"/,
      ],
      [
        '    include: ["/p/draft/**"]\n    exclude: ["/p/**"]',
        /^12:15 watches.shop.include.0: .*no URL passes it, because exclude "\/p\/\*\*" wins/,
      ],
      ['    exclude: ["/a", "/**"]', /^12:21 watches.shop.exclude.1: .*it excludes every URL/],
    ];
    for (const [lines, problem] of cases) {
      test(lines.trim().replaceAll(/\s+/g, ' '), () => {
        const problems = withWatch(lines);
        assert.equal(problems.length, 1, problems.join('\n'));
        assert.match(problems[0] ?? '', problem);
      });
    }
  });

  test('a schedule in "defaults" is reported there, once for all watches', () => {
    const schedule = 'service: fast\n  schedule: { cron: "30 25 * * *", timezone: Europe/Instanbul }';
    const watch = '  blog: { account: main, sitemaps: [https://blog.example/s.xml] }\n';
    const problems = problemsOf(`${good.replace('service: fast', schedule)}${watch}`);
    assert.equal(problems.length, 2, problems.join('\n'));
    assert.match(problems[0] ?? '', /^9:21 defaults\.schedule\.cron: /);
    assert.match(problems[1] ?? '', /^9:46 defaults\.schedule\.timezone: /);
  });

  test('parses durations in every unit', () => {
    assert.equal(parseDuration('1.5h'), 5_400_000);
    assert.equal(parseDuration('soon'), null);
  });

  const withAccount = (settings: string) => good.replace('    spend: {', `${settings}\n    spend: {`);
  const accountWith = (settings: string) =>
    readConfig(withAccount(settings), 'c.yaml').accounts.get('main' as AccountId)!;

  test("an account's status map comes before the built-in one", () => {
    const { statusMap } = accountWith(
      '    status_map: { job: { completed: [Bitti] }, check: { not_found: [yok], found: [var] } }',
    );
    const { job, check } = createStatusMapping(statusMap);
    assert.deepEqual(['BİTTİ', 'done', 'queued'].map(job), ['completed', 'completed', 'queued']);
    assert.deepEqual([check(['Yok']), check(['VAR']), check(['not indexed'])], ['not-found', 'found', 'not-found']);
  });

  test("accepts a terminal state by the service's name", () => {
    const { terminalStates, statusMap } = accountWith(
      '    terminal_states: [Bitti, partial, Kapandı]\n    status_map: { job: { completed: [bitti] } }',
    );
    assert.deepEqual(terminalStates, ['completed', 'partial', 'kapandı']);
    assert.equal(createStatusMapping(statusMap).job('KAPANDI'), 'kapandı', 'terminal states ignore letter case');
  });

  test('rejects a status with two meanings and a meaning that does not exist', () => {
    assert.match(
      problemsOf(withAccount('    status_map: { url: { completed: [Ready], failed: [ready] } }'))[0]!,
      /6:\d+ accounts.main.status_map.url.failed: "ready" is also listed under "completed"; a status can have only one meaning/,
    );
    assert.match(
      problemsOf(withAccount('    status_map: { job: { done: [x] } }'))[0]!,
      /unknown setting "done"; valid settings: queued/,
    );
  });

  test('sends the key in the Authorization header unless the account says X-API-Key', () => {
    assert.equal(accountWith('').authentication, 'bearer');
    assert.equal(accountWith('    authentication: x-api-key').authentication, 'x-api-key');
    assert.match(problemsOf(withAccount('    authentication: basic'))[0]!, /bearer, x-api-key/);
  });
});
