import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse, stringify } from 'yaml';
import { ConfigError, type ConfigProblem } from '../config-error.ts';
import { loadConfigText } from '../load.ts';
import { apply } from '../try-remedies.ts';
import { RULES } from './rules.ts';

/** The base, or the base with a line in its account, in its watch or at the top. */
function withLine(place: 'account' | 'watch' | 'top', line: string): string {
  const lines = {
    account: ['base_url: https://indexing.example/api/v1', 'api_key: { env: COURIER_API_KEY }'],
    watch: ['account: main', 'sitemaps: [https://shop.example/sitemap.xml]'],
    top: [] as string[],
  };
  const key = `${line.split(':')[0]}:`;
  lines[place] = [...lines[place].filter((each) => !each.startsWith(key)), line];
  const show = (each: readonly string[]) =>
    each.map((text) => `    ${text.replaceAll('\n', text.includes('\n  ') ? '\n' : '\n    ')}\n`).join('');
  const watches = line.startsWith('watches:') ? '' : `watches:\n  shop:\n${show(lines.watch)}`;
  return `version: 1\naccounts:\n  main:\n${show(lines.account)}${watches}${lines.top.join('\n')}\n`;
}

interface Said {
  readonly level: 'error' | 'warning' | 'none';
  readonly problems: readonly ConfigProblem[];
}

function check(text: string): Said {
  try {
    const { warnings } = loadConfigText(text, 'courier.yaml');
    return { level: warnings.length === 0 ? 'none' : 'warning', problems: warnings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { level: 'error', problems: error.problems };
  }
}

type Case = readonly [place: 'account' | 'watch' | 'top', line: string, ...remedies: unknown[]];

/** By rule: what breaks it, with what is proposed. */
const BROKEN: Readonly<Record<string, readonly Case[]>> = {
  'base_url ends with an endpoint': [
    ['account', 'base_url: https://indexing.example/api/v1/submissions', 'https://indexing.example/api/v1'],
    ['account', 'base_url: https://indexing.example/api/v1/balance/', 'https://indexing.example/api/v1'],
    ['account', 'base_url: https://indexing.example/api/v1/submissions/job_1', 'https://indexing.example/api/v1'],
  ],
  'base_url has a query': [
    ['account', 'base_url: https://indexing.example/api/v1?x=1', 'https://indexing.example/api/v1'],
    ['account', 'base_url: "https://indexing.example/api/v1#a"', 'https://indexing.example/api/v1'],
  ],
  'base_url has no path': [['account', 'base_url: https://indexing.example', 'https://indexing.example/api/v1']],
  'base_url names another version': [
    ['account', 'base_url: https://indexing.example/api/v2', 'https://indexing.example/api/v1'],
  ],
  'the key is sent unencrypted': [
    ['account', 'base_url: http://indexing.example/api/v1', 'https://indexing.example/api/v1'],
    ['account', 'base_url: http://203.0.113.5:8080/api/v1', 'https://203.0.113.5:8080/api/v1'],
  ],
  'base_url has a double slash': [
    ['account', 'base_url: https://indexing.example//api/v1', 'https://indexing.example/api/v1'],
  ],
  'base_url asks for https at the port of http': [
    ['account', 'base_url: https://indexing.example:80/api/v1', 'https://indexing.example/api/v1'],
  ],
  'two accounts share a key': [
    [
      'account',
      'authentication: bearer\n  other:\n    base_url: https://indexing.example/api/v1/\n    api_key: { env: COURIER_API_KEY }',
    ],
  ],
  'a price is 0': [
    ['account', 'price_per_url: 0 TRY', 'remove'],
    ['account', 'price_per_url: { fast: 0 TRY }', 'remove'],
  ],
  'a cap is above a wider one': [
    ['account', 'spend: { per_day: 500 TRY, per_month: 50 TRY }', '50.00 TRY'],
    ['watch', 'spend: { per_run: 10 TRY, per_day: 5 TRY }', '5.00 TRY'],
  ],
  'a cap is below the price of a page': [
    ['account', 'price_per_url: 0.25 TRY\nspend: { per_day: 0.10 TRY }', '0.25 TRY'],
  ],
  'a key is used longer than it is remembered': [
    ['account', 'reconcile: { after: 48h }', '20h'],
    ['account', 'reconcile: { after: 1d }', '20h'],
  ],
  'checks are repeated without a pause': [['watch', 'index_check: { every: 0d }', '7d']],
  'checks follow each other within an hour': [['watch', 'index_check: { every: 1s }', '7d']],
  'nothing is ever checked': [
    ['watch', 'index_check: { per_day: 0.10 TRY }', '0.50 TRY'],
    ['watch', 'index_check: { sample: 0% }'],
  ],
  'a duration is 0': [
    ['account', 'timeouts: { total: 0s }', '60s'],
    ['account', 'timeouts: { total: 1ms }', '60s'],
    ['account', 'tracking: { fast: { timeout: 0d } }', '8d'],
    ['account', 'limits: { minute_length: 0ms }', '1m'],
    ['top', 'notify: { no_success_after: 0d }', '2d'],
  ],
  'a cron line never runs': [
    ['watch', 'schedule: { cron: "0 4 31 2 *" }'],
    ['watch', 'schedule: { cron: "0 5 30 2 *" }'],
    ['watch', 'schedule: { cron: "0 5 31 4,6,sep,11 1-5" }'],
    ['top', 'report: { cron: "0 7 30 feb *", folder: reports }'],
  ],
  'a cron line runs every minute of an hour': [
    ['watch', 'schedule: { cron: "* 4 * * *" }', '0 4 * * *'],
    ['watch', 'schedule: { cron: "* 4,16 * * mon" }', '0 4,16 * * mon'],
    [
      'top',
      'notify: { channels: { ops: { slack: { url: { env: S } } } }, digest: { cron: "* 8 * * *" } }',
      '0 8 * * *',
    ],
  ],
  'waits between polls contradict each other': [
    ['account', 'tracking: { fast: { min: 10m, max: 1m } }', '10m'],
    ['account', 'tracking: { standard: { min: 2h } }', '1h'],
    ['account', 'tracking: { standard: { timeout: 2h } }', '8d'],
    ['account', 'tracking: { fast: { first: 2d } }', '5m'],
  ],
  'a timeout is above the whole': [['account', 'timeouts: { connect: 100s, total: 5s }', '5s']],
  'some jobs never end': [
    ['account', 'terminal_states: [complete]', ['complete', 'failed']],
    ['account', 'terminal_states: [cancelled, failed]', ['cancelled', 'failed', 'completed']],
  ],
  'a job ends before it is done': [
    ['account', 'terminal_states: [processing, completed, failed]'],
    ['account', 'terminal_states: [completed, failed, Pending]'],
  ],
  'a status means its opposite': [
    ['account', 'status_map: { job: { failed: [completed] } }'],
    ['account', 'status_map: { url: { failed: [pending] } }'],
    ['account', 'status_map: { url: { open: [completed] } }'],
  ],
  'a field has no name': [['account', 'field_names: { balance: [account..funds] }']],
  'a rate limit is above the specification': [['account', 'limits: { requests: { minute: 600 } }', 120]],
  'hosts are not those of the sitemaps': [
    ['watch', 'hosts: [shop.exmaple]', 'shop.example'],
    ['watch', 'hosts: [blog.other.example]', ['blog.other.example', 'shop.example']],
  ],
  'a sitemap is named twice': [
    ['watch', 'sitemaps: [https://shop.example/sitemap.xml, https://shop.example/sitemap.xml]'],
    ['watch', 'sitemaps: [https://shop.example/sitemap.xml, "https://SHOP.example/sitemap.xml#a"]'],
  ],
  'a robots.txt is among the sitemaps': [['watch', 'sitemaps: [https://shop.example/robots.txt]']],
  'a sitemap has a host that cannot exist': [
    ['watch', 'sitemaps: ["https://shop,example/sitemap.xml"]\n    hosts: ["*"]'],
    ['watch', 'sitemaps: ["https://shop..example/sitemap.xml"]\n    hosts: ["*"]'],
  ],
  'a sitemap is on a private host': [
    ['watch', 'sitemaps: ["http://localhost:8080/sitemap.xml"]'],
    ['watch', 'sitemaps: ["http://192.168.1.5/sitemap.xml"]'],
    ['watch', 'sitemaps: ["http://[::1]/sitemap.xml"]'],
  ],
  'a sitemap has a space': [['watch', 'sitemaps: ["https://shop.example/a.xml, https://shop.example/b.xml"]']],
  'every private host is allowed': [['watch', 'allow_private_hosts: ["0.0.0.0/0"]']],
  'a header belongs to the connection': [['watch', 'headers: { Host: other.example }']],
  'robots is not a robots.txt': [['watch', 'robots: https://shop.example/s.xml', 'https://shop.example/robots.txt']],
  'a sitemap has a password': [['watch', 'sitemaps: ["https://me:pw@shop.example/s.xml"]']],
  'a guard lets everything through': [['watch', 'guard: { max_new_percent: 2000 }', 100]],
  'a project cannot be shown': [
    ['watch', 'project: "Shop\\nnightly"', 'Shop nightly'],
    ['watch', 'project: "Shop\\0"', 'Shop'],
    ['watch', 'project: "   "', 'Shop nightly'],
    ['watch', 'project: "\\u202eShop"', 'Shop'],
  ],
  'a header cannot be sent': [
    ['watch', 'headers: { "x y": a }'],
    ['watch', 'headers: { x-a: "a\\nb" }'],
  ],
  'a header has a secret': [['watch', 'headers: { authorization: Basic x }', { env: 'STAGING_AUTH' }]],
  'a mail address is none': [
    [
      'top',
      'notify: { channels: { ops: { email: { server: { env: MAIL }, from: courier, to: [ops] } } } }',
      'courier@shop.example',
      'ops@shop.example',
    ],
  ],
  'messages without a channel': [
    ['top', 'notify: { events: [key_rejected] }'],
    ['top', 'notify: { digest: { cron: "0 8 * * *" } }'],
  ],
  'nothing is watched': [['top', 'watches: {}']],
  'a secret is the API key': [
    ['top', 'admin: { port: 9464, runs: { secret: { env: COURIER_API_KEY } } }'],
    ['top', 'notify: { channels: { ops: { teams: { url: { env: COURIER_API_KEY } } } } }'],
  ],
  'the ledger is no file': [['top', 'ledger: { url: "sqlite::memory:" }', 'sqlite:.courier/ledger.db']],
  'the ledger is in a folder that is emptied': [
    ['top', 'ledger: { url: "sqlite:/tmp/a/ledger.db" }', 'sqlite:.courier/ledger.db'],
  ],
  'the file has the password of the database': [
    ['top', 'ledger: { url: "postgres://courier:pw@db.internal/courier" }', 'postgres://courier@db.internal/courier'],
    ['top', 'ledger: { url: "postgres://courier@db/courier?password=pw" }', 'postgres://courier@db/courier'],
  ],
  'a path begins with ~': [['top', 'ledger: { url: "sqlite:~/ledger.db" }']],
  'the address of the listener is none': [
    ['top', 'admin: { host: "http://0.0.0.0", port: 9464 }', '127.0.0.1', '0.0.0.0'],
  ],
  'the file has the secret of a channel': [
    [
      'top',
      'notify: { channels: { ops: { slack: { url: "https://hooks.slack.com/services/T0/B0/abc" } } } }',
      { env: 'COURIER_HOOK_URL' },
    ],
    ['top', 'notify: { channels: { ops: { teams: { url: "https://hooks.slack.com/services/T0/B0/abc" } } } }'],
  ],
  'crawls never wait for the host': [['top', 'worker: { slots: { crawl: 5 }, adaptive_crawls: { minimum: 8 } }', 5]],
};

/** What an installation may well have: nothing is said of it. */
const FINE: readonly (readonly ['account' | 'watch' | 'top', string])[] = [
  ['account', 'base_url: http://127.0.0.1:8080/api/v1'],
  ['account', 'base_url: http://service:8080/api/v1'],
  ['account', 'base_url: http://10.1.2.3/api/v1'],
  ['account', 'base_url: https://indexing.example/acme/api/v1/'],
  ['account', 'terminal_states: [completed, failed]'],
  ['account', 'spend: { per_day: 0 TRY, per_month: 0 TRY }'],
  ['account', 'spend: { per_day: 50 TRY, per_month: 50 TRY }'],
  ['account', 'reconcile: { after: 23h }'],
  ['watch', 'schedule: { cron: "0 5 29 2 1" }'],
  ['watch', 'schedule: { cron: "0 5 1/30 2 *" }'],
  ['watch', 'schedule: { cron: "0 5 */30 2 *" }'],
  ['watch', 'hosts: [www.shop.example]'],
  ['watch', 'hosts: [other.example, shop.example]'],
  ['watch', 'hosts: ["*.shop.example"]'],
  ['watch', 'hosts: ["*"]'],
  ['watch', 'index_check: { after: 0s }'],
  ['watch', 'retry_failed: { after: 0s }'],
  ['watch', 'headers: { x-preview: "1" }'],
  ['watch', 'robots: https://shop.example/robots.txt'],
  ['watch', 'sitemaps: ["http://localhost:8080/sitemap.xml"]\n    allow_private_hosts: [localhost]'],
  ['watch', 'sitemaps: ["http://203.0.113.5/sitemap.xml"]'],
  ['watch', 'sitemaps: ["https://mağaza.example/sitemap.xml"]'],
  ['watch', 'schedule: { cron: "* * * * *" }'],
  ['watch', 'schedule: { cron: "*/5 4 * * *" }'],
  ['account', 'field_names: { balance: [account.funds] }'],
  ['account', 'status_map: { url: { open: [waiting] } }'],
  ['top', 'admin: { port: 9464, runs: { secret: { env: COURIER_PUBLISH_SECRET } } }'],
  ['top', 'ledger: { url: "postgres://courier@db.internal:5432/courier" }'],
  [
    'top',
    'notify: { channels: { ops: { email: { server: { env: MAIL }, from: Courier <courier@shop.example>, to: [ops@shop.example] } } } }',
  ],
];

describe('a setting that the schema allows and that does not do what it says', () => {
  for (const { name, level } of RULES) {
    const cases = BROKEN[name] ?? [];
    test(`${name}: a ${level} with its place, and remedies that are accepted`, () => {
      assert.notEqual(cases.length, 0);
      for (const [place, line, ...remedies] of cases) {
        const text = withLine(place, line);
        const said = check(text);
        assert.equal(said.level, level, `${text}\n${JSON.stringify(said.problems)}`);
        const messages = said.problems.map(({ message }) => message).join('\n');
        assert.ok(
          said.problems.every((each) => each.line !== null && each.line > 1 && (each.column ?? 0) > 1),
          messages,
        );
        assert.deepEqual(
          said.problems.flatMap((each) =>
            (each.remedies ?? []).map((remedy) => (remedy.kind === 'write' ? remedy.value : remedy.kind)),
          ),
          remedies,
          messages,
        );
        const tree = parse(text) as unknown;
        for (const { path, remedies: [remedy] = [] } of said.problems)
          if (remedy !== undefined) assert.ok(apply(tree, path.split('.'), remedy), messages);
        if (remedies.length > 0) assert.equal(check(stringify(tree)).level, 'none', messages);
      }
    });
  }

  for (const [place, line] of FINE)
    test(`nothing is said of ${line.replaceAll('\n', ' ')}`, () => {
      assert.deepEqual(check(withLine(place, line)).problems, []);
    });

  test('caps of a watch are compared with those of its account, and what defaults have is said once', () => {
    const text = `version: 1
accounts:
  main: { base_url: "https://indexing.example/api/v1", api_key: { env: X }, spend: { per_day: 20 TRY } }
defaults:
  spend: { per_run: 30 TRY }
watches:
  shop: { account: main, sitemaps: ["https://shop.example/s.xml"] }
  blog: { account: main, sitemaps: ["https://blog.example/s.xml"] }
  news: { account: main, sitemaps: ["https://news.example/s.xml"], spend: { per_day: 25 TRY } }
`;
    assert.deepEqual(
      check(text).problems.map(({ line, path, message }) => [line, path, message.split(',')[0]]),
      [
        [
          5,
          'defaults.spend.per_run',
          'defaults.spend.per_run: 30.00 TRY is more than spend.per_day of account main allows (20.00 TRY)',
        ],
        [
          9,
          'watches.news.spend.per_day',
          'watches.news.spend.per_day: 25.00 TRY is more than spend.per_day of account main allows (20.00 TRY)',
        ],
      ],
    );
  });

  test('no password is repeated', () => {
    const ledger = check(withLine('top', 'ledger: { url: "postgres://courier:hunter2@db.internal/courier" }'));
    const sitemap = check(withLine('watch', 'sitemaps: ["https://me:hunter2@shop.example/s.xml"]'));
    assert.equal(ledger.problems.length + sitemap.problems.length, 2);
    assert.doesNotMatch(JSON.stringify([ledger, sitemap]), /hunter2/);
  });
});
