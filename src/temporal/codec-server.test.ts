import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { openCodecServer } from './codec-server.ts';
import { createEncryptionCodec } from './encryption.ts';

const UI = 'http://ui.example';
const newCodec = () => createEncryptionCodec({ key: randomBytes(32).toString('hex'), formerKeys: [] });

async function open(t: TestContext, codec = newCodec()) {
  const server = await openCodecServer({
    codec,
    host: '127.0.0.1',
    port: 0,
    origins: [UI],
    onError: (error) => assert.fail(String(error)),
  });
  t.after(() => server.close());
  return (path: string, body: string, init: RequestInit = {}) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', origin: UI },
      ...init,
    });
}

const body = JSON.stringify({
  payloads: [
    {
      metadata: { encoding: Buffer.from('json/plain').toString('base64') },
      data: Buffer.from('"shop"').toString('base64'),
    },
  ],
});

describe('the codec server', () => {
  test('decodes what it has encoded', async (t) => {
    const ask = await open(t);
    const encoded = await (await ask('/encode', body)).text();
    assert.doesNotMatch(encoded, new RegExp(Buffer.from('"shop"').toString('base64')));
    assert.deepEqual(await (await ask('/decode', encoded)).json(), JSON.parse(body));
  });

  test('answers the question that a browser asks before', async (t) => {
    const ask = await open(t);
    const asked = await ask('/decode', '', { method: 'OPTIONS', body: null });
    assert.equal(asked.status, 204);
    assert.equal(asked.headers.get('access-control-allow-origin'), UI);
    assert.match(asked.headers.get('access-control-allow-headers') ?? '', /content-type, x-namespace/);
  });

  test('lets a page from elsewhere reach this machine, when its origin is named and the browser asks', async (t) => {
    const ask = await open(t);
    const asking = (origin: string) =>
      ask('/decode', '', {
        method: 'OPTIONS',
        body: null,
        headers: { origin, 'access-control-request-private-network': 'true' },
      });
    assert.equal((await asking(UI)).headers.get('access-control-allow-private-network'), 'true');
    assert.equal((await asking('http://evil.example')).headers.get('access-control-allow-private-network'), null);
  });

  test('refuses pages of other origins and says how to allow them', async (t) => {
    const ask = await open(t);
    const refused = await ask('/decode', body, { headers: { origin: 'http://evil.example' } });
    assert.equal(refused.status, 403);
    assert.equal(refused.headers.get('access-control-allow-origin'), null);
    assert.match(await refused.text(), /--origin http:\/\/evil\.example/);
  });

  for (const [what, path, text, status] of [
    ['another path', '/other', body, 404],
    ['a body that is not JSON', '/decode', 'no', 400],
    ['a body without payloads', '/decode', '{}', 400],
    ['a body above 32 MB', '/decode', JSON.stringify({ payloads: [], more: 'x'.repeat(33 * 1_024 * 1_024) }), 400],
  ] as const) {
    test(`${what}: ${status}`, async (t) => {
      assert.equal((await (await open(t))(path, text)).status, status);
    });
  }

  test('names the key that it does not have', async (t) => {
    const encoded = await (await (await open(t))('/encode', body)).text();
    const refused = await (await open(t))('/decode', encoded);
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), /temporal\.encryption does not have/);
  });
});
