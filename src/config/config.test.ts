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

  test('rejects an API key in the file without repeating it', () => {
    const [problem] = problemsOf(good.replace('{ env: COURIER_API_KEY }', 'usk_live_canary'));
    assert.match(problem!, /5:14 .*do not put the key itself here/);
    assert.doesNotMatch(problem!, /canary/);
  });

  test('reports an empty file, and a schedule that Temporal would reject', () => {
    assert.match(problemsOf('')[0]!, /1:1 this file is empty/);
    const cron = good.replace('account: main', 'account: main\n    schedule: { cron: "30 4 * *  " }');
    assert.match(problemsOf(cron)[0]!, /does not have five fields/);
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

  describe('hosts and globs that no URL can match', () => {
    const withWatch = (lines: string) => problemsOf(good.replace('    account: main', `    account: main\n${lines}`));
    const cases: readonly (readonly [string, RegExp])[] = [
      ['    exclude: ["/ok/**", "*.html"]', /^12:25 watches.shop.exclude.1: "\*\.html": no URL matches it: every path/],
      ['    exclude: ["/drafts/[**"]', /^12:15 watches.shop.exclude.0: .*"\[" is not closed/],
      ['    include: ["/p?id=*"]', /^12:15 watches.shop.include.0: .*without the query/],
      [
        '    hosts: ["http://shop.example"]',
        /^12:13 watches.shop.hosts.0: "http:\/\/shop.example": .*write shop\.example$/,
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
