import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { resetConnection } from '../reset-connection.ts';
import { urlset } from './collect.ts';

/** How far an answer comes before its fault. */
export const STEPS = ['request', 'status', 'header', 'headers', 'first-byte', 'middle', 'last-byte', 'whole'] as const;
/** What happens then. */
export const FAULTS = ['end', 'destroy', 'reset', 'late', 'stall', 'garbage', 'second-answer'] as const;
/** What the answer would be. A redirect leads to a small sitemap that the crawl has read. */
export const ANSWERS = [
  'plain',
  'large',
  'chunked',
  'gzip',
  'until-close',
  'text-until-close',
  'redirect',
  'unavailable',
] as const;

type Step = (typeof STEPS)[number];
type Fault = (typeof FAULTS)[number];
type Answer = (typeof ANSWERS)[number];

export const toFaultPath = (answer: Answer, step: Step, fault: Fault) => `/${answer}/${step}/${fault}.xml`;

export interface FaultyServer extends AsyncDisposable {
  readonly origin: string;
}

/**
 * Answers every path of `toFaultPath` with its fault, `/small.xml` with a small sitemap, `/to/PATH` with a redirect to PATH,
 * and other paths from `pages`. Speaks HTTP over raw sockets, because a server of Node's refuses to break its protocol.
 */
export async function serveFaults(pages: (origin: string) => Record<string, string>): Promise<FaultyServer> {
  const sockets = new Set<Socket>();
  let table: Record<string, string> = {};
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    let head = '';
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1');
      for (let end = head.indexOf('\r\n\r\n'); end !== -1; end = head.indexOf('\r\n\r\n')) {
        const path = head.split(' ', 2)[1] ?? '/';
        head = head.slice(end + 4);
        answer(socket, path, table);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  table = pages(origin);
  return {
    origin,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(socket: Socket, path: string, pages: Readonly<Record<string, string>>): void {
  const [, kind, step, name] = /^\/([a-z-]+)\/([a-z-]+)\/([a-z-]+)\.xml$/.exec(path) ?? [];
  if (path.startsWith('/to/'))
    socket.write(toResponse('301 Moved', [`Location: ${path.slice(3)}`], Buffer.from('moved')));
  else if (kind !== undefined && step !== undefined && name !== undefined) {
    breakAnswer(socket, makeAnswer(kind as Answer, path), step as Step, name as Fault);
  } else if (pages[path] === undefined) socket.write(toResponse('404 Not Found', [], Buffer.from('none')));
  else socket.write(toResponse('200 OK', [], Buffer.from(pages[path])));
}

/** The parts of an answer: where its header section and its body begin is where faults can happen. */
interface Parts {
  readonly head: string;
  readonly body: Buffer;
}

const toResponse = (status: string, headers: readonly string[], body: Buffer) =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${[...headers, `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n`),
    body,
  ]);

function makeAnswer(kind: Answer, path: string): Parts {
  const page = `https://shop.example${path}`;
  const small = Buffer.from(urlset(page));
  const large = Buffer.from(urlset(...Array.from({ length: 4_000 }, (_, n) => `${page}?${n}`)));
  const make = (status: string, headers: readonly string[], body: Buffer): Parts => ({
    head: `HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n`,
    body,
  });
  const length = (body: Buffer) => `Content-Length: ${body.length}`;
  if (kind === 'large') return make('200 OK', [length(large)], large);
  if (kind === 'chunked') {
    const chunked = `${small.length.toString(16)}\r\n${small.toString('latin1')}\r\n0\r\n\r\n`;
    return make('200 OK', ['Transfer-Encoding: chunked'], Buffer.from(chunked, 'latin1'));
  }
  if (kind === 'gzip') {
    const packed = gzipSync(large);
    return make('200 OK', ['Content-Encoding: gzip', length(packed)], packed);
  }
  if (kind === 'until-close') return make('200 OK', ['Connection: close'], small);
  if (kind === 'text-until-close') {
    const lines = Array.from({ length: 2_000 }, (_, n) => `${page}?${n}\n`).join('');
    return make('200 OK', ['Connection: close'], Buffer.from(lines));
  }
  if (kind === 'redirect') return make('302 Found', ['Location: /small.xml', length(small)], small);
  if (kind === 'unavailable') return make('503 Unavailable', ['Retry-After: 0', length(small)], small);
  return make('200 OK', [length(small)], small);
}

function breakAnswer(socket: Socket, { head, body }: Parts, step: Step, fault: Fault): void {
  const whole = Buffer.concat([Buffer.from(head), body]);
  const status = head.indexOf('\r\n') + 2;
  const at: Readonly<Record<Step, number>> = {
    request: 0,
    status,
    header: status + 5,
    headers: head.length,
    'first-byte': head.length + 1,
    middle: head.length + (body.length >> 1),
    'last-byte': whole.length - 1,
    whole: whole.length,
  };
  const before = whole.subarray(0, at[step]);
  const rest = whole.subarray(at[step]);
  const finish = () => {
    socket.write(rest);
    if (/connection: close/i.test(head)) socket.end();
  };
  socket.write(before, () => {
    // The bytes leave this process before the fault does.
    setTimeout(() => act(socket, fault, finish), 5);
  });
}

function act(socket: Socket, fault: Fault, finish: () => void): void {
  if (fault === 'end') socket.end();
  else if (fault === 'destroy') socket.destroy();
  else if (fault === 'reset') resetConnection(socket);
  else if (fault === 'late') setTimeout(finish, 60);
  else if (fault === 'garbage') socket.end(Buffer.from('\x00\xff<<<HTTP/9.9 \r\n\r\n\x1f\x8b', 'latin1'));
  else if (fault === 'second-answer') {
    finish();
    socket.write(toResponse('200 OK', [], Buffer.from('<html>a second answer</html>')));
  }
}
