import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { isAnswered, isUnavailable } from './postgres-failure.ts';

const url = process.env.COURIER_TEST_POSTGRES;
const live = url === undefined ? { skip: 'COURIER_TEST_POSTGRES names no Postgres' } : {};

const toError = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => assert.fail('it succeeded'),
    (error: Error) => error,
  );

async function openClient(t: TestContext, settings: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...settings });
  client.on('error', () => undefined);
  t.after(() => client.end().catch(() => undefined));
  await client.connect();
  return client;
}

/** A port that accepts connections and treats them so. */
async function listen(t: TestContext, accept: (socket: Socket) => void): Promise<pg.ClientConfig> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    accept(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { host: '127.0.0.1', port: address.port };
}

describe('a failure that the driver gives no code', () => {
  test('a connection that the other side closes', async (t) => {
    const error = await toError(new pg.Client(await listen(t, (socket) => socket.end())).connect());
    assert.equal(error.message, 'Connection terminated unexpectedly');
    assert.ok(isUnavailable(error));
    assert.equal(isAnswered(error), false);
  });

  test('a server that never answers a connection of a pool', async (t) => {
    const pool = new pg.Pool({ ...(await listen(t, () => undefined)), connectionTimeoutMillis: 50 });
    t.after(() => pool.end());
    const error = await toError(pool.connect());
    assert.equal(error.message, 'Connection terminated due to connection timeout');
    assert.ok(isUnavailable(error));
  });

  test('a pool whose connections are all in use', live, async (t) => {
    const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 200 });
    const first = await pool.connect();
    t.after(async () => {
      first.release();
      await pool.end();
    });
    const error = await toError(pool.connect());
    assert.equal(error.message, 'timeout exceeded when trying to connect');
    assert.ok(isUnavailable(error));
  });

  test('a statement whose answer does not come in time', live, async (t) => {
    const client = await openClient(t, { query_timeout: 50 });
    const error = await toError(client.query('SELECT pg_sleep(2)'));
    assert.equal(error.message, 'Query read timeout');
    assert.ok(isUnavailable(error));
  });

  test('a statement on a connection that broke before', live, async (t) => {
    const client = await openClient(t);
    const ended = new Promise((resolve) => client.once('end', resolve));
    await toError(client.query('SELECT pg_terminate_backend(pg_backend_pid())'));
    await ended;
    const error = await toError(client.query('SELECT 1'));
    assert.equal(error.message, 'Client has encountered a connection error and is not queryable');
    assert.ok(isUnavailable(error));
  });
});

describe('a failure with a code', () => {
  test('a server that is not there', async () => {
    const error = await toError(new pg.Client({ host: '127.0.0.1', port: 1 }).connect());
    assert.ok(isUnavailable(error));
  });

  test('a cancelled statement was answered', live, async (t) => {
    const error = await toError((await openClient(t, { statement_timeout: 50 })).query('SELECT pg_sleep(2)'));
    assert.ok(isUnavailable(error) && isAnswered(error));
  });

  test('an invalid statement is not a failure of Postgres, whatever its message says', live, async (t) => {
    const error = await toError((await openClient(t)).query('SELECT 1 AS "Connection terminated" FROM nowhere'));
    assert.equal(isUnavailable(error), false);
  });
});
