import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConfigError } from './config-error.ts';
import { readConfig } from './load.ts';

const GOOD = `version: 1
accounts:
  main:
    base_url: https://indexing.example/api/v1
    api_key: { env: COURIER_API_KEY }
    spend: { per_day: 500 TRY }
defaults:
  schedule: { cron: "30 4 * * *", timezone: Europe/Istanbul }
watches:
  shop:
    account: main
    sitemaps: [https://shop.example/sitemap.xml]
ledger: { url: "sqlite:ledger.db" }
`;

/** What is wrong, what is replaced by what (null: the whole file), and every line that is said about it. */
const MISTAKES: readonly (readonly [string, string | null, string, readonly string[]])[] = [
  [
    'a merge key in place of what a watch must have',
    '    account: main\n    sitemaps: [https://shop.example/sitemap.xml]\n',
    '    <<: { account: main }\n',
    [
      '11:5 watches.shop: "<<" (a merge key) is not supported; write the settings here, or for all watches under "defaults"',
    ],
  ],
  [
    'a watch among the accounts',
    'defaults:',
    '  blog: { account: main, sitemaps: [https://blog.example/s.xml], hosts: [blog.example] }\ndefaults:',
    ['7:3 accounts: "blog" has the settings of a watch; put it, indented, below "watches:"'],
  ],
  [
    'settings of a watch among the accounts',
    'defaults:',
    '  account: main\n  sitemaps: [https://blog.example/s.xml]\n  hosts: [blog.example]\ndefaults:',
    ['2:1 accounts: has settings of a watch; put them, indented, below a name that you choose in "watches:"'],
  ],
  [
    'watches in a watch',
    'watches:\n',
    'watches:\n  group:\n    blog: { account: main, sitemaps: [https://blog.example/s.xml], hosts: [blog.example] }\n',
    ['10:3 watches: "group" has watches in it; each of them belongs directly below "watches:"'],
  ],
  [
    'settings of a watch in defaults',
    'defaults:\n',
    'defaults:\n  account: main\n  hosts: [shop.example]\n  exclude: ["/a/**"]\n',
    [
      '8:3 defaults: unknown settings "account", "hosts", "exclude"; they are of one watch: put them, indented, below its name in "watches"',
    ],
  ],
  [
    'a misspelt setting',
    'sitemaps:',
    'sitemap:',
    ['12:5 watches.shop: unknown setting "sitemap"; did you mean "sitemaps"?'],
  ],
  [
    'an unknown setting',
    'account: main',
    'account: main\n    colour: red',
    [
      '12:5 watches.shop: unknown setting "colour"; valid settings: account, project, sitemaps, robots, hosts, include, exclude, hreflang, allow_private_hosts, headers, paused, ping, service, schedule, crawl, priority, first_run, resubmit, retry_failed, guard, spend, index_check',
    ],
  ],
  ['a misspelt section', 'watches:', 'watch:', ['9:1 unknown setting "watch"; did you mean "watches"?']],
  ['a tab', '    account: main', '\taccount: main', ['11:1 a tab indents this line; YAML wants spaces']],
  [
    'a name that is written twice',
    '  shop:\n',
    '  shop: { account: main, sitemaps: [https://shop.example/a.xml] }\n  shop:\n',
    ['11:3 "shop" is written twice; the first is in line 10. Remove one of them'],
  ],
  [
    'a list without its bracket',
    'sitemap.xml]',
    'sitemap.xml',
    ['13:1 the list "[…" is not closed before this line; end it with "]"'],
  ],
  [
    'a line that is indented differently',
    '    account: main\n',
    '   account: main\n',
    ['11:13 the next line is indented further than this one; settings that belong together begin in one column'],
  ],
  [
    'a glob without quotes',
    'account: main',
    'account: main\n    exclude: [*.html]',
    [
      '12:15 text that begins with "*" must be in quotes',
      '12:15 watches.shop.exclude.0: "*.html": no URL matches it: every path begins with "/"; write /**/*.html',
    ],
  ],
  [
    'a list in place of settings',
    null,
    '- shop.example\n',
    ['1:1 this file is not a group of settings; it begins with version: 1 and has accounts and watches'],
  ],
  ['another version', 'version: 1', 'version: 2', ['1:10 version: 2 is not the version of this format; write 1']],
  ['no version', 'version: 1\n', '', ['1:1 "version" is missing; write version: 1']],
  [
    'an account name with capitals',
    '  main:',
    '  Main Account:',
    ['3:3 accounts: "Main Account" is not a name: small letters, digits, "-" and "_"; did you mean "main-account"?'],
  ],
  [
    'no account',
    '    account: main\n',
    '',
    ['10:3 watches.shop: "account" is missing; write, for example, account: main'],
  ],
  [
    'an account that does not exist',
    'account: main',
    'account: mian',
    ['11:14 watches.shop.account: no account is named "mian"; did you mean "main"?'],
  ],
  [
    'neither sitemaps nor robots',
    '    sitemaps: [https://shop.example/sitemap.xml]\n',
    '',
    [
      '10:3 watches.shop.sitemaps: the watch has neither "sitemaps" nor "robots"; write, for example, sitemaps: [https://shop.example/sitemap.xml]',
    ],
  ],
  [
    'a sitemap that is not in a list',
    '[https://shop.example/sitemap.xml]',
    'https://shop.example/sitemap.xml',
    [
      '12:15 watches.shop.sitemaps: "https://shop.example/sitemap.xml" is not a list; write [https://shop.example/sitemap.xml]',
    ],
  ],
  [
    'a flag for private hosts',
    'sitemaps: [',
    'allow_private_hosts: true\n    sitemaps: [',
    ['12:26 watches.shop.allow_private_hosts: true is not a list; write, for example, [127.0.0.1]'],
  ],
  [
    'a text for private hosts that is none',
    'sitemaps: [',
    'allow_private_hosts: ["true"]\n    sitemaps: [',
    [
      '12:27 watches.shop.allow_private_hosts.0: "true": it is not the name of a host, an address or a network; write, for example, 127.0.0.1, intranet.example or 10.0.0.0/8',
    ],
  ],
  [
    'a sitemap over ftp',
    '[https://shop',
    '[ftp://shop',
    [
      '12:16 watches.shop.sitemaps.0: "ftp://shop.example/sitemap.xml": only http and https are read; write an address that begins with https://',
    ],
  ],
  [
    'a base_url without its scheme',
    'https://indexing',
    'indexing',
    [
      '4:15 accounts.main.base_url: "indexing.example/api/v1" is not a whole address; write https://indexing.example/api/v1',
    ],
  ],
  [
    'a password in base_url',
    'https://indexing',
    'https://user:canary@indexing',
    [
      '4:15 accounts.main.base_url: "https://[secret]@indexing.example/api/v1" has a user name or password; leave them out of the address',
    ],
  ],
  [
    'an API key',
    '{ env: COURIER_API_KEY }',
    'usk_0123456789abcdefABCDEF',
    [
      '5:14 accounts.main.api_key: do not put the key itself here; write { env: NAME }, with the name of an environment variable, or { file: PATH }',
    ],
  ],
  [
    'an API key in place of a variable',
    'COURIER_API_KEY',
    'usk_0123456789abcdefABCDEF',
    [
      '5:21 accounts.main.api_key.env: do not put the key itself here; write { env: NAME }, with the name of an environment variable, or { file: PATH }',
    ],
  ],
  ['a misspelt env', '{ env:', '{ evn:', ['5:16 accounts.main.api_key: unknown setting "evn"; did you mean "env"?']],
  [
    'an amount without its currency',
    '500 TRY',
    '500',
    ['6:23 accounts.main.spend.per_day: 500 is not an amount in TRY; write 500 TRY'],
  ],
  [
    'an amount with a comma',
    '500 TRY',
    '"0,25 TRY"',
    ['6:23 accounts.main.spend.per_day: "0,25 TRY" is not an amount in TRY; write 0.25 TRY'],
  ],
  [
    'an amount that two countries read differently',
    '500 TRY',
    '1.500 TRY',
    ['6:23 accounts.main.spend.per_day: "1.500 TRY" can be read as two amounts; write 1500 TRY or 1.50 TRY'],
  ],
  [
    'an amount with a comma, which ends a setting in braces',
    '500 TRY',
    '1,500 TRY',
    ['6:23 accounts.main.spend.per_day: "1,500 TRY" can be read as two amounts; write 1500 TRY or 1.50 TRY'],
  ],
  [
    'an amount that YAML reads as a number',
    '500 TRY',
    '1.500',
    ['6:23 accounts.main.spend.per_day: "1.500" can be read as two amounts; write 1500 TRY or 1.50 TRY'],
  ],
  [
    'an amount with a sign, which YAML reads as a number',
    '500 TRY',
    '+1.500',
    ['6:23 accounts.main.spend.per_day: "+1.500" can be read as two amounts; write 1500 TRY or 1.50 TRY'],
  ],
  [
    'an amount without an end',
    '500 TRY',
    '.inf',
    ['6:23 accounts.main.spend.per_day: Infinity is not an amount in TRY; write, for example, 500 TRY'],
  ],
  [
    'an amount with seven decimals',
    '500 TRY',
    '0.1234567 TRY',
    ['6:23 accounts.main.spend.per_day: "0.1234567 TRY" has more than six decimals, which no amount has'],
  ],
  [
    'an amount that is no exact number of micro-lira',
    '500 TRY',
    '9999999999 TRY',
    ['6:23 accounts.main.spend.per_day: "9999999999 TRY" is too large: at most 999,999,999 TRY'],
  ],
  [
    'the settings of a watch without its name',
    '  shop:\n    account: main\n    sitemaps:',
    '  account: main\n  sitemaps:',
    [
      '9:1 watches: the settings of a watch have no name; put them, indented, below a name that you choose, such as "shop:"',
    ],
  ],
  [
    'a watch beside "watches"',
    'ledger:',
    'blog: { account: main, sitemaps: [https://blog.example/s.xml] }\nledger:',
    ['13:1 unknown setting "blog"; it has the settings of a watch: put it, indented, below "watches:"'],
  ],
  [
    'a merge key',
    'account: main',
    'account: main\n    <<: *shared',
    [
      '12:5 watches.shop: "<<" (a merge key) is not supported; write the settings here, or for all watches under "defaults"',
    ],
  ],
  [
    'an amount in another currency',
    '500 TRY',
    '500 EUR',
    ['6:23 accounts.main.spend.per_day: "500 EUR" is not an amount in TRY'],
  ],
  [
    'a price in one of two forms',
    '    spend:',
    '    price_per_url: { standard: "0,25 TRY" }\n    spend:',
    ['6:32 accounts.main.price_per_url.standard: "0,25 TRY" is not an amount in TRY; write 0.25 TRY'],
  ],
  [
    'a cap that does not exist',
    'per_day',
    'per_week',
    ['6:14 accounts.main.spend: unknown setting "per_week"; valid settings: per_day, per_month, balance_floor'],
  ],
  [
    'an hour that does not exist',
    '30 4',
    '30 25',
    [
      '8:21 defaults.schedule.cron: "25" of "30 25 * * *" is not an hour: write 0 to 23, *, ranges (1-5), lists (1,3) or steps (*/5)',
    ],
  ],
  [
    'a cron line with seconds',
    '"30 4',
    '"0 30 4',
    [
      '8:21 defaults.schedule.cron: "0 30 4 * * *" does not have five fields: minute, hour, day of the month, month, day of the week; write "30 4 * * *"',
    ],
  ],
  [
    'a word for a cron line',
    '30 4 * * *',
    '@daily',
    [
      '8:21 defaults.schedule.cron: "@daily" does not have five fields: minute, hour, day of the month, month, day of the week; write "0 0 * * *"',
    ],
  ],
  [
    'a misspelt time zone',
    'Istanbul',
    'Instanbul',
    ['8:45 defaults.schedule.timezone: "Europe/Instanbul" is not a time zone; did you mean "Europe/Istanbul"?'],
  ],
  [
    'a schedule that is only a cron line',
    '{ cron: "30 4 * * *", timezone: Europe/Istanbul }',
    '"30 4 * * *"',
    ['8:13 defaults.schedule: "30 4 * * *" is not a group of settings; write { cron: "30 4 * * *" }'],
  ],
  [
    'a glob over a whole address',
    'account: main',
    'account: main\n    exclude: ["https://shop.example/drafts/**"]',
    [
      '12:15 watches.shop.exclude.0: "https://shop.example/drafts/**" is an address; a glob is over the path alone; write /drafts/**',
    ],
  ],
  [
    'a bracket in a glob',
    'account: main',
    'account: main\n    exclude: ["/drafts/[**"]',
    [
      '12:15 watches.shop.exclude.0: "/drafts/[**": no URL matches it: "[" is not closed: close it, or escape it; write "/drafts/\\\\[**"',
    ],
  ],
  [
    'an address in place of a host',
    'account: main',
    'account: main\n    hosts: ["https://shop.example"]',
    ['12:13 watches.shop.hosts.0: "https://shop.example": no URL is on it: it is not a host; write shop.example'],
  ],
  [
    'a misspelt word',
    'account: main',
    'account: main\n    service: fsat',
    ['12:14 watches.shop.service: "fsat" is not one of: standard, fast; did you mean "fast"?'],
  ],
  [
    'yes in place of true',
    'account: main',
    'account: main\n    paused: yes',
    ['12:13 watches.shop.paused: "yes" is neither true nor false; write true'],
  ],
  [
    'a duration in words',
    'account: main',
    'account: main\n    resubmit: { not_within: 3 days }',
    ['12:29 watches.shop.resubmit.not_within: "3 days" is not a duration; write 3d'],
  ],
  [
    'a duration without a unit',
    'account: main',
    'account: main\n    resubmit: { not_within: 30 }',
    ['12:29 watches.shop.resubmit.not_within: 30 has no unit; write 30s, 30m, 30h or 30d'],
  ],
  [
    'more than everything',
    'account: main',
    'account: main\n    index_check: { sample: 150% }',
    ['12:28 watches.shop.index_check.sample: "150%" is more than 100%; write 100% or less'],
  ],
  [
    'a percentage where a number is wanted',
    'account: main',
    'account: main\n    guard: { max_new_percent: "20%" }',
    ['12:31 watches.shop.guard.max_new_percent: "20%" is text, not a number; write 20'],
  ],
  [
    'a number with a comma',
    'account: main',
    'account: main\n    guard: { max_new: 5,000 }',
    ['12:23 watches.shop.guard.max_new: "5,000" can be read in two ways; write 5000 or 5'],
  ],
  [
    'a setting without a value',
    'account: main',
    'account: main\n    project:',
    ['12:5 watches.shop.project: has no value; write, for example, Shop nightly, or remove the setting'],
  ],
  [
    'a Temporal address with a scheme',
    'ledger:',
    'temporal: { address: https://temporal.internal }\nledger:',
    ['13:22 temporal.address: "https://temporal.internal" is not host:port; write temporal.internal:7233'],
  ],
  [
    'a client certificate without its key',
    'ledger:',
    'temporal: { address: "temporal.internal:7233", tls: { cert: a.pem } }\nledger:',
    ['13:61 temporal.tls.cert: a client certificate and its key belong together; write key too'],
  ],
  [
    'credentials of a server that is not named',
    'ledger:',
    'temporal: { tls: {}, api_key: { file: temporal.key } }\nledger:',
    [
      '13:13 temporal.tls: credentials belong to one server; write its address in temporal.address',
      '13:22 temporal.api_key: credentials belong to one server; write its address in temporal.address',
    ],
  ],
  [
    'a private key in place of its file',
    'ledger:',
    'temporal: { address: "temporal.internal:7233", tls: { ca: "-----BEGIN CERTIFICATE-----" } }\nledger:',
    [
      '13:59 temporal.tls.ca: "-----BEGIN CERTIFICATE-----" is not a path of a file, but its content; write, for example, certs/ca.pem',
    ],
  ],
  [
    'a database that is not supported',
    'sqlite:',
    'mysql:',
    ['13:16 ledger.url: "mysql:ledger.db" is not a database; write sqlite:PATH or postgres://USER@HOST/NAME'],
  ],
];

/** The message of a configuration, without the sentence before its list; empty when it is valid. */
function listProblems(text: string): string[] {
  try {
    readConfig(text, 'courier.yaml');
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message.split('\n').slice(1);
  }
}

describe('a mistake in courier.yaml is reported once, where it is, with what to write:', () => {
  for (const [what, from, to, says] of MISTAKES) {
    test(what, () => {
      assert.deepEqual(
        listProblems(from === null ? to : GOOD.replace(from, to)),
        says.map((line) => `  courier.yaml:${line}`),
      );
    });
  }
});

describe('courier.yaml', () => {
  test('is valid without a mistake', () => assert.deepEqual(listProblems(GOOD), []));

  test('may name several hosts of a Postgres, and each must be one', () => {
    const withLedger = (url: string) => GOOD.replace('sqlite:ledger.db', url);
    assert.deepEqual(
      listProblems(withLedger('postgres://courier:p%40ss@db-1:5432,db-2.internal:6432/courier?pool=5')),
      [],
    );
    for (const url of ['postgres://courier@db-1:5432,/courier', 'postgres://courier@db-1:5432,db-2:64x32/courier'])
      assert.deepEqual(
        listProblems(withLedger(url)),
        ['  courier.yaml:13:16 ledger.url: this is not the address of a database; write postgres://USER@HOST/NAME'],
        url,
      );
  });

  test('with several mistakes has all of them reported at once, in the order of its lines', () => {
    const text = GOOD.replace('version: 1', 'version: 2')
      .replace('500 TRY', '500 EUR')
      .replace('30 4', '30 25')
      .replace('account: main', 'account: mian')
      .replace('sitemaps:', 'sitemap:');
    assert.deepEqual(
      listProblems(text).map((line) => line.split(' ').slice(2, 4).join(' ')),
      [
        'courier.yaml:1:10 version:',
        'courier.yaml:6:23 accounts.main.spend.per_day:',
        'courier.yaml:8:21 defaults.schedule.cron:',
        'courier.yaml:11:14 watches.shop.account:',
        'courier.yaml:12:5 watches.shop:',
      ],
    );
  });

  test('with a schedule in "defaults" has its mistakes reported there, once for all watches', () => {
    const text = GOOD.replace('30 4', '30 25').replace(
      'ledger:',
      '  blog: { account: main, sitemaps: [https://blog.example/s.xml] }\nledger:',
    );
    assert.equal(listProblems(text).length, 1);
    assert.match(listProblems(text)[0] ?? '', /courier\.yaml:8:21 defaults\.schedule\.cron: /);
  });
});
