import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { describe, test } from 'node:test';
import { readConfig } from './load.ts';

const write = (notify: string) => `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { env: KEY } }
watches:
  shop: { account: main, sitemaps: ["https://shop.example/sitemap.xml"] }
notify: ${notify}
`;

describe('notify settings', () => {
  test('defaults: no channel, all events, two failed runs, two days, a week of balance, no digest', () => {
    const { notify } = readConfig(write('{}'), '/etc/courier.yaml');
    const { channels, events, name, ...rest } = notify;
    assert.equal(name, hostname());
    assert.deepEqual([channels.size, events.length], [0, 14]);
    assert.deepEqual(rest, { failedRuns: 2, noSuccessAfterMs: 172_800_000, balanceDays: 7, digest: null, ping: null });
  });

  test('a secret file is relative to the configuration', () => {
    const { notify } = readConfig(
      write('{ channels: { chat: { slack: { url: { file: hook } } } } }'),
      '/etc/courier.yaml',
    );
    assert.deepEqual(notify.channels.get('chat'), { kind: 'slack', url: { file: '/etc/hook' } });
  });

  for (const [what, notify, message] of [
    ['a channel without a form', '{ channels: { ops: {} } }', /notify\.channels\.ops: has no form: webhook, slack/],
    [
      'a channel with two forms',
      '{ channels: { ops: { slack: { url: { env: A } }, teams: { url: { env: B } } } } }',
      /notify\.channels\.ops: has slack and teams; write a channel for each/,
    ],
    ['an unknown event', '{ events: [run_heldd] }', /run_heldd.*run_held/],
    [
      'a digest at an impossible time',
      '{ digest: { cron: "0 25 * * *" } }',
      /notify\.digest\.cron: "25" of "0 25 \* \* \*" is not an hour/,
    ],
    [
      'a mail server in the file',
      '{ channels: { m: { email: { server: "smtp://u:p@h", from: a@b, to: [c@d] } } } }',
      /server/,
    ],
  ] as const) {
    test(`${what} is a mistake with its place`, () => {
      assert.throws(() => readConfig(write(notify), 'courier.yaml'), message);
    });
  }
});
