import diagnostics from 'node:diagnostics_channel';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { resetConnection } from '../reset-connection.ts';

/** How an answer says where its body ends. */
export const FRAMINGS = {
  'Content-Length, HTTP/1.1': { version: '1.1', end: 'length' },
  'Content-Length, HTTP/1.0': { version: '1.0', end: 'length' },
  'chunks, HTTP/1.1': { version: '1.1', end: 'chunks' },
  'chunks, HTTP/1.0': { version: '1.0', end: 'chunks' },
  'close, HTTP/1.1': { version: '1.1', end: 'close' },
  'close, HTTP/1.0': { version: '1.0', end: 'close' },
} as const;
export type Framing = keyof typeof FRAMINGS;

/** How an answer breaks off: the server ends or resets the connection, or sends nothing more. */
export type Break = 'fin' | 'rst' | 'stall';

/** What a path answers: all of `body`, or only `sent` bytes of it and then `breaks`. */
export interface BrokenAnswer {
  /** Default: `200 OK`. */
  readonly status?: string;
  readonly framing: Framing;
  readonly body: Buffer;
  readonly headers?: readonly string[];
  readonly broken?: { readonly sent: number; readonly breaks: Break };
}

export interface BreakingServer extends AsyncDisposable {
  readonly origin: string;
  /** Requests in order: `PATH`, or `PATH if VALIDATOR` for a conditional one. */
  readonly requests: string[];
}

/**
 * Serves raw bytes, because a server of Node's refuses to break its protocol. An answer breaks off once the client, which
 * must be in this process, has parsed its head; `onBroken` is called then. Unknown paths are 404.
 */
export async function serveBroken(
  answer: (path: string, validator: string | undefined, head: string) => BrokenAnswer | 'not-modified' | undefined,
  onBroken: (path: string) => void = () => undefined,
): Promise<BreakingServer> {
  const requests: string[] = [];
  const sockets = new Map<number, Socket>();
  const pending = new Map<number, () => void>();
  // The client has the head of an answer, and with it the bytes that came in the same write.
  const onHead = (message: unknown): void => {
    const port = (message as { response: { socket: Socket } }).response.socket.localPort ?? 0;
    const breakOff = pending.get(port);
    pending.delete(port);
    if (breakOff !== undefined) setImmediate(breakOff);
  };
  diagnostics.subscribe('http.client.response.finish', onHead);
  const server = createServer((socket) => {
    const port = socket.remotePort ?? 0;
    sockets.set(port, socket);
    socket.on('close', () => sockets.delete(port)).on('error', () => socket.destroy());
    socket.on('data', (head) => {
      const text = head.toString('latin1');
      const path = text.split(' ', 2)[1] ?? '';
      const validator = /^if-none-match: (.*)\r$/im.exec(text)?.[1];
      requests.push(validator === undefined ? path : `${path} if ${validator}`);
      const made = answer(path, validator, text);
      if (made === undefined) socket.write('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
      else if (made === 'not-modified') socket.write('HTTP/1.1 304 Not Modified\r\n\r\n');
      else if (made.broken === undefined) {
        const { head: begin, body, end } = toWire(made, made.body);
        socket.write(Buffer.concat([begin, body, end]));
        if (FRAMINGS[made.framing].end === 'close') socket.end();
      } else {
        const { sent, breaks } = made.broken;
        const { head: begin, body } = toWire(made, made.body.subarray(0, sent));
        pending.set(port, () => {
          if (breaks === 'fin') socket.end();
          else if (breaks === 'rst') resetConnection(socket);
          onBroken(path);
        });
        socket.write(Buffer.concat([begin, body]));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      diagnostics.unsubscribe('http.client.response.finish', onHead);
      for (const socket of sockets.values()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toWire({ status = '200 OK', framing, body, headers = [] }: BrokenAnswer, sent: Buffer) {
  const { version, end } = FRAMINGS[framing];
  const framed = {
    length: [`Content-Length: ${body.length}`],
    chunks: ['Transfer-Encoding: chunked'],
    close: version === '1.1' ? ['Connection: close'] : [],
  }[end];
  const head = Buffer.from(
    `HTTP/${version} ${status}\r\n${[...headers, ...framed].map((line) => `${line}\r\n`).join('')}\r\n`,
  );
  if (end !== 'chunks') return { head, body: sent, end: Buffer.alloc(0) };
  const size = Buffer.from(`${body.length.toString(16)}\r\n`);
  return { head, body: Buffer.concat([size, sent]), end: Buffer.from('\r\n0\r\n\r\n') };
}
