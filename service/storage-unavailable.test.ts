import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../test/support/database.ts';
import { type Answer, openService, type TestClient, urlList } from '../test/support/service.ts';

function isUnavailable({ status, headers, body }: Answer): void {
  assert.equal(status, 503);
  assert.equal(body.error?.code, 'service_unavailable');
  assert.ok(Number(headers.get('retry-after')) >= 1);
}

const submit = (client: TestClient) => client.post('/submissions', 'storage-key', { urls: urlList(2) });

test('spec 4.6 rule 7: an unavailable storage is 503 with Retry-After, nothing is charged, and the service recovers by itself (sqlite)', async (t) => {
  const { client, url } = await openService(t, 'sqlite');
  await client.balance();
  const other = new DatabaseSync(url.slice('sqlite:'.length));
  other.exec('BEGIN IMMEDIATE');
  isUnavailable(await submit(client));
  assert.equal(await client.balance(), 1000);
  other.exec('ROLLBACK');
  other.close();
  assert.equal((await submit(client)).status, 202);
});

/** A proxy before Postgres that can be cut and restored. */
async function wire(target: URL) {
  const open = new Set<Socket>();
  const listen = async (port: number): Promise<Server> => {
    const server = createServer((socket) => {
      const upstream = connect(Number(target.port), target.hostname);
      for (const [from, to] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        open.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy()).on('close', () => to.destroy());
      }
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of open) socket.destroy();
    open.clear();
    await closed;
  };
  return {
    port,
    cut,
    async restore() {
      server = await listen(port);
    },
  };
}

test('spec 4.6 rule 7: an unavailable storage is 503 with Retry-After, nothing is charged, and the service recovers by itself (postgres)', {
  skip: !(TEST_DIALECTS as readonly string[]).includes('postgres') && 'COURIER_TEST_POSTGRES is not set',
}, async (t) => {
  const direct = new URL(emptyDatabaseUrl(t, 'postgres'));
  const line = await wire(direct);
  const database = Object.assign(new URL(direct), { host: `127.0.0.1:${line.port}` }).href;
  const { client } = await openService(t, 'postgres', { database });
  t.after(() => line.cut());
  assert.equal(await client.balance(), 1000);
  await line.cut();
  isUnavailable(await submit(client));
  isUnavailable(await client.get('/balance'));
  assert.equal((await fetch(new URL('/readyz', client.baseUrl))).status, 503);
  assert.equal((await fetch(new URL('/healthz', client.baseUrl))).status, 200);
  await line.restore();
  assert.equal((await submit(client)).status, 202);
  assert.equal(await client.balance(), 999.5);
});
