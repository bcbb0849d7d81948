import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stringify } from 'yaml';
import { readConfig } from '../config/load.ts';
import { createRedactor } from './redact.ts';

const config = readConfig(
  stringify({
    version: 1,
    accounts: { main: { base_url: 'https://service.example/api/v1', api_key: { env: 'COURIER_TEST_API_KEY' } } },
    watches: {
      shop_2026_autumn_collection_eu: { account: 'main', sitemaps: ['https://shop.example/b.xml'] },
      shop: {
        account: 'main',
        sitemaps: ['https://shop.example/a.xml'],
        headers: { authorization: 'Basic canary-header' },
        ping: 'https://monitor.example/canary-ping',
      },
    },
    notify: { channels: { chat: { slack: { url: 'https://hook.example/canary-hook' } } } },
  }),
  '/courier.yaml',
);

describe('texts for people', () => {
  test('hold no key, header, address of a channel or monitor, nor the credentials of an address', () => {
    process.env.COURIER_TEST_API_KEY = 'canary-key';
    const redact = createRedactor(config);
    const text = redact(
      'canary-key; Basic canary-header; https://monitor.example/canary-ping; https://hook.example/canary-hook; ' +
        'https://user:canary-password@shop.example/a.xml: status 500',
    );
    assert.doesNotMatch(text, /canary/);
    assert.match(text, /@shop\.example\/a\.xml: status 500$/);
  });

  test('stay as they are otherwise, also while a secret cannot be read', () => {
    delete process.env.COURIER_TEST_API_KEY;
    const text = 'shop: a run waits for approval of 4,210 URLs, 1,052.50 TRY';
    assert.equal(createRedactor(config)(text), text);
  });

  const PUBLIC = [
    'courier approve watch/kletzkdo/news/scheduled-2026-11-23T18:15:00Z',
    'courier reject watch/kletzkdo/spring_2026_landing_pages/2026-11-25T031500-ab1Z',
    'HTTP 401 (request req_01JDXK9Q2M4Z8V7N3P5R6S7T8U)',
    'status 404, request req_0198f2b4-7c1e-4b7a-9a53-3f0f3f6f1c11',
    'request 7fG3kP0aQz91LmXc22Tb',
    'reference Ab3dEf6hIj9lMn2pQr5t is taken',
    'job sub_01jdxk9q2m4z8v7n3p5r6s7t8u is still processing',
    'no answer of chk_1f3a5c7e9b1d3f5a7c9e1b3d',
    'the service has jobs of ours that this ledger does not know (Zx81Kq77Lm03PwNn45Rt and more)',
    'key usk_Ogq4vjD was rejected',
    '0198f2b4-7c1e-4b7a-9a53-3f0f3f6f1c11',
    'sent under the key k1-3f9a7c55e0b1d2c3a4f5968778695a4b3c2d1e0f',
    'Watch shop_2026_autumn_collection_eu: last run complete',
    'For example: https://shop.example/p/Blue-Shirt-2026-XLarge-9f , https://shop.example/2',
    'Since 2026-11-25 06:15 Europe/Istanbul. 12,001 URLs, 3,000.25 TRY',
  ];
  for (const text of PUBLIC) {
    test(`keep what people paste: ${text}`, () => {
      process.env.COURIER_TEST_API_KEY = 'canary-key';
      assert.equal(createRedactor(config, ['Zx81Kq77Lm03PwNn45Rt'])(text), text);
    });
  }

  const SECRET = [
    'usk_Ogq4vjDv8yWrP636ePC57sV2abcdEFGH0123456789abcdefg12',
    'sk_live_51H8xYzAbCdEfGhIjKlMnOp',
    'sk-proj-a1B2c3D4e5F6g7H8i9J0',
    'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
    'glpat-A1b2C3d4E5f6G7h8I9j0',
    'xoxb-263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1',
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9',
    'Zx81Kq77Lm03PwNn45RtAa',
    'api_key_7f3a5c7e9b1d3f5a7c9e1b3d',
    'my_3f5a7c9e1b3d7f3a5c7e9b1d',
  ];
  for (const secret of SECRET) {
    test(`mask what is no id: ${secret.slice(0, 8)}…`, () => {
      const redact = createRedactor(config, ['Zx81Kq77Lm03PwNn45Rt']);
      for (const text of [
        secret,
        `(${secret})`,
        `Bearer ${secret}`,
        `https://else.example/${secret}/x`,
        `x?token=${secret}`,
      ])
        assert.ok(!redact(text).includes(secret), redact(text));
    });
  }

  test('mask a key also where an id is expected, and a configured secret that is handed in as an id', () => {
    process.env.COURIER_TEST_API_KEY = 'plainsecretwithoutform';
    const redact = createRedactor(config, ['plainsecretwithoutform']);
    assert.equal(redact('request usk_Ogq4vjDv8yWrP636ePC57sV2'), 'request [secret]');
    assert.equal(redact('job plainsecretwithoutform'), 'job [secret]');
  });
});
