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
});
