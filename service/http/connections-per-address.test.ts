import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { limitConnectionsPerAddress, toExempt } from './connections-per-address.ts';

describe('connections of one address', () => {
  test('above the limit are closed, and leave room for other addresses and for later ones', async (t) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      setImmediate(() => socket.write('hello'));
    });
    limitConnectionsPerAddress(server, { most: 2, exempt: (address) => address === '127.0.0.9' });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const sockets: Socket[] = [];
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    /** Whether the server speaks on a new connection from there. */
    const open = async (localAddress: string): Promise<boolean> => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      sockets.push(socket);
      socket.on('error', () => undefined);
      const spoken = once(socket, 'data').then(
        () => true,
        () => false,
      );
      return Promise.race([spoken, once(socket, 'close').then(() => false)]);
    };
    assert.deepEqual([await open('127.0.0.2'), await open('127.0.0.2')], [true, true]);
    assert.equal(await open('127.0.0.2'), false);
    assert.equal(await open('127.0.0.3'), true, 'another client is not affected');
    for (let n = 0; n < 4; n++) assert.equal(await open('127.0.0.9'), true, 'a proxy has no limit');
    const gone = once(sockets[0]!, 'close');
    sockets[0]!.destroy();
    await gone;
    let again = false;
    for (let n = 0; n < 50 && !again; n++) again = await open('127.0.0.2');
    assert.ok(again, 'a closed connection makes room');
  });
});

describe('addresses without a limit', () => {
  for (const [address, exempt] of [
    ['127.0.0.1', true],
    ['::ffff:127.0.0.1', true],
    ['::1', true],
    ['10.2.3.4', true],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['2001:db8::5', true],
    ['2001:db9::5', false],
    ['172.20.1.1', true],
  ] as const) {
    test(`${address}: ${exempt ? 'this machine or a proxy' : 'a client'}`, () => {
      assert.equal(toExempt(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', 'uniquelocal'])(address), exempt);
    });
  }
});
