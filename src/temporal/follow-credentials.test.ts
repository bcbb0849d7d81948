import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { createAuthority } from '../../test/support/certificates.ts';
import { followCredentials } from './follow-credentials.ts';

const authority = createAuthority('courier test authority');

function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'courier-credentials-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const state = { key: 'key-1', reconnects: 0, keys: [] as string[], logged: [] as string[], reconnectFails: false };
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const write = ({ cert, key }: { cert?: string; key?: string }) => {
    if (cert !== undefined) writeFileSync(files.cert, cert);
    if (key !== undefined) writeFileSync(files.key, key);
  };
  write(authority.issue({ name: 'courier' }));
  const check = followCredentials(
    {
      ...{ address: 'temporal.example:7233', namespace: 'shop' },
      tls: { ca: null, ...files, serverName: null },
      apiKey: () => {
        if (state.key === '') throw new Error('The secret file is empty.');
        return state.key;
      },
    },
    {
      log: {
        info: (text: string) => state.logged.push(`info ${text}`),
        warn: (text: string) => state.logged.push(`warn ${text}`),
      } as never,
      setApiKey: async (key) => {
        state.keys.push(key);
      },
      reconnect: async () => {
        if (state.reconnectFails) throw new Error('No server.');
        state.reconnects += 1;
      },
    },
  );
  return { state, check, write };
}

describe('rotated credentials of the Temporal connection', () => {
  test('a new API key is put in force once, and its value is not logged', async (t) => {
    const { state, check } = open(t);
    await check();
    assert.deepEqual(state.keys, []);
    state.key = 'key-2';
    await check();
    await check();
    assert.deepEqual([state.keys, state.reconnects], [['key-2'], 0]);
    assert.doesNotMatch(state.logged.join(), /key-2/);
  });

  test('a key that cannot be read changes nothing, and is reported once', async (t) => {
    const { state, check } = open(t);
    state.key = '';
    await check();
    await check();
    assert.equal(state.logged.length, 1);
    assert.match(state.logged[0] ?? '', /^warn The secret file is empty\. The worker continues/);
    state.key = 'key-2';
    await check();
    assert.deepEqual(state.keys, ['key-2']);
  });

  test('new certificates make a new connection when both files are there', async (t) => {
    const { state, check, write } = open(t);
    const next = authority.issue({ name: 'courier' });
    write({ cert: next.cert });
    await check();
    assert.equal(state.reconnects, 0, 'the key is still that of the former certificate');
    assert.match(state.logged.at(-1) ?? '', /does not belong to the client certificate/);
    write({ key: next.key });
    await check();
    await check();
    assert.equal(state.reconnects, 1);
  });

  test('a connection that fails is tried again', async (t) => {
    const { state, check, write } = open(t);
    write(authority.issue({ name: 'courier' }));
    state.reconnectFails = true;
    await check();
    state.reconnectFails = false;
    await check();
    assert.deepEqual([state.reconnects, state.logged.length], [1, 2]);
  });
});
