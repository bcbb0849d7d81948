import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { resetConnection } from '../../test/support/reset-connection.ts';
import type { IdempotencyKey } from '../submission/ids.ts';
import { decideOutcome } from '../submission/outcome.ts';
import { createApiClient } from './client.ts';

const urls = Array.from({ length: 5_000 }, (_, n) => `https://shop.example/${'x'.repeat(300)}/${n}`);
const body = JSON.stringify({ urls });
const taken = JSON.stringify({ success: true, status: 'success', data: { reference: 'R-1' }, request_id: 'q' });
const tooLarge = JSON.stringify({ success: false, status: 'error', data: null, error: { code: 'X', message: 'x' } });

const whole = (status: string, text: string, more = '') =>
  `HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n${more}\r\n${text}`;

/** What the server does as soon as the first bytes of the request arrive. */
const early: Record<string, (socket: Socket) => void> = {
  'and closes': (socket) => socket.end(whole('413 Payload Too Large', tooLarge, 'connection: close\r\n')),
  'and breaks the connection': (socket) =>
    socket.write(whole('413 Payload Too Large', tooLarge, 'connection: close\r\n'), () => resetConnection(socket)),
  'with a page': (socket) => socket.end(whole('413 Too Large', '<html>413</html>', 'connection: close\r\n')),
};

/** What the server does after it has read the whole request; then it closes. */
const late: Record<string, { reply: string; outcome: string }> = {
  '103 Early Hints first': {
    reply: `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${whole('202 Accepted', taken)}`,
    outcome: 'accepted',
  },
  'HTTP/1.0 without a length': { reply: `HTTP/1.0 202 Accepted\r\n\r\n${taken}`, outcome: 'accepted' },
  // The HTTP library takes it for whole; JSON has an end of its own.
  'HTTP/1.0 without a length that breaks off': {
    reply: `HTTP/1.0 202 Accepted\r\n\r\n${taken.slice(0, -1)}`,
    outcome: 'retry',
  },
  'two responses to one request': {
    reply: whole('202 Accepted', taken) + whole('500 Oops', '{}'),
    outcome: 'accepted',
  },
  'another protocol': {
    reply: 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    outcome: 'retry',
  },
  'an invalid header': { reply: `HTTP/1.1 202 Accepted\r\nx y: z\r\n\r\n${taken}`, outcome: 'retry' },
  'no HTTP at all': { reply: 'SSH-2.0-OpenSSH_9.6\r\n', outcome: 'retry' },
};

async function outcomeAt(serve: (socket: Socket) => void): Promise<ReturnType<typeof decideOutcome>> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  const client = createApiClient({ baseUrl, apiKey: () => 'a-key-of-this-test' });
  try {
    const answer = await client.submit(body, 'sc1-0123456789' as IdempotencyKey);
    return decideOutcome(answer, { urls, inDoubt: false, reference: null });
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
    await client.close();
  }
}

describe('the client on the wire', () => {
  for (const [how, answer] of Object.entries(early)) {
    test(`413 before the body is read, ${how}: the batch is split, nothing is in doubt`, async () => {
      const outcome = await outcomeAt((socket) => socket.once('data', () => answer(socket)));
      assert.deepEqual([outcome.kind, outcome.chargeState], ['split', 'none']);
    });
  }

  for (const [how, { reply, outcome }] of Object.entries(late)) {
    test(`a response with ${how}: ${outcome === 'retry' ? 'in doubt, resend the same bytes' : outcome}`, async () => {
      const result = await outcomeAt((socket) => {
        let read = 0;
        socket.on('data', (piece: Buffer) => {
          read += piece.length;
          if (read > body.length) socket.end(reply);
        });
      });
      assert.deepEqual([result.kind, result.chargeState], [outcome, outcome === 'accepted' ? 'charged' : 'unknown']);
    });
  }
});
