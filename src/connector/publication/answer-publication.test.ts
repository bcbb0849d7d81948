import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { readConfig } from '../../config/load.ts';
import type { WatchId } from '../../submission/ids.ts';
import { createPublicationAnswerer } from './answer-publication.ts';
import type { RequestedRun } from './request-run.ts';

const SECRET = 'a-secret-of-this-very-test';
const BEARER = { authorization: `Bearer ${SECRET}` };
const { watches } = readConfig(
  `{version: 1, accounts: {main: {base_url: "https://x.example/api/v1", api_key: {env: X}}},
    watches: {shop: {account: main, sitemaps: ["https://shop.example/s.xml"]}}}`,
  'courier.yaml',
);

function open(requested: RequestedRun = { kind: 'started', run: 'watch/l/shop/1' }) {
  const scene = { secret: SECRET, time: 0, asked: 0, requested };
  const answer = createPublicationAnswerer({
    readSecret: () => scene.secret,
    getWatch: (id: WatchId) => watches.get(id),
    async request() {
      scene.asked += 1;
      return scene.requested;
    },
    toLink: (run) => `http://ui/${run}`,
    now: () => scene.time,
  });
  const ask = (headers: Record<string, string>, { path = '/runs/shop', body = '' } = {}) =>
    answer({ path, headers, body: Buffer.from(body) });
  return { scene, ask };
}

const sign = (body: string, secret = SECRET) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});

describe('POST /runs/WATCH', () => {
  test('starts a run for the bearer of the token, and for the signature of the body', async () => {
    const { ask, scene } = open();
    const { status, body } = await ask(BEARER);
    assert.deepEqual(
      [status, body],
      [202, { state: 'started', watch: 'shop', run: 'watch/l/shop/1', link: 'http://ui/watch/l/shop/1' }],
    );
    assert.equal((await ask(sign('{"ref":"main"}'), { body: '{"ref":"main"}' })).status, 202);
    assert.equal(scene.asked, 2);
  });

  test('starts nothing without, and says nothing of the watches', async () => {
    const { ask, scene } = open();
    const wrong: [Record<string, string>, string?][] = [
      [{}],
      [{ authorization: 'Bearer ' }],
      [{ authorization: `Bearer ${SECRET}x` }],
      [{ authorization: `Basic ${SECRET}` }],
      [sign('other'), 'body'],
      [sign('body', 'another-secret-of-16'), 'body'],
      [{ ...BEARER, 'x-hub-signature-256': 'sha256=00' }],
    ];
    for (const [headers, body = ''] of wrong)
      for (const path of ['/runs/shop', '/runs/else']) {
        const refused = await ask(headers, { path, body });
        assert.equal(refused.status, 401, JSON.stringify(headers));
        assert.equal(refused.headers?.['www-authenticate'], 'Bearer');
        assert.ok(!JSON.stringify(refused.body).includes('shop'));
      }
    assert.equal(scene.asked, 0);
  });

  test('takes a new secret at once', async () => {
    const { ask, scene } = open();
    scene.secret = 'another-secret-of-16';
    assert.equal((await ask(BEARER)).status, 401);
    assert.equal((await ask({ authorization: 'Bearer another-secret-of-16' })).status, 202);
  });

  test('knows configured watches only, and their names alone', async () => {
    const { ask, scene } = open();
    for (const path of ['/runs/else', '/runs/', '/runs/shop/x', '/runs/../shop', '/runs/%73hop'])
      assert.equal((await ask(BEARER, { path })).status, 404, path);
    assert.equal(scene.asked, 0);
  });

  test('says whether a run waits already, is refused, or must be asked for again', async () => {
    const behind = 'watch/l/shop/0';
    for (const [requested, status, pattern] of [
      [{ kind: 'waiting', behind, isNew: true }, 202, /"waiting".*"behind":"watch\/l\/shop\/0"/],
      [{ kind: 'waiting', behind, isNew: false }, 200, /"waiting"/],
      [{ kind: 'refused', why: 'its schedule is paused (move)' }, 409, /paused \(move\), so no run was started/],
      [{ kind: 'busy', run: 'watch/l/shop/by-hand' }, 503, /by-hand is active/],
    ] as const) {
      const answered = await open(requested).ask(BEARER);
      assert.equal(answered.status, status);
      assert.match(JSON.stringify(answered.body), pattern);
    }
  });

  test('bounds a minute of requests, and one of wrong credentials apart from it', async () => {
    const { ask, scene } = open();
    const statuses = async (times: number, headers: Record<string, string>) => {
      const found = new Set<number>();
      for (let n = 0; n < times; n++) found.add((await ask(headers)).status);
      return [...found];
    };
    assert.deepEqual(await statuses(50, {}), [401, 429]);
    assert.deepEqual(await statuses(120, BEARER), [202]);
    const late = await ask(BEARER);
    assert.deepEqual([late.status, late.headers?.['retry-after']], [429, '60']);
    assert.equal(scene.asked, 120);
    scene.time += 60_000;
    assert.equal((await ask(BEARER)).status, 202);
  });
});
