import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { endLingering } from './lingering-close.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The requests of a connection that have not been answered. */
interface Line {
  current: Exchange | null;
  waiting: Exchange[];
  /** What came after them is broken: nothing more is read, and the connection ends with the last answer. */
  isLast: boolean;
}

/** When this many requests of a connection wait, it is not read for a while. */
const MOST_WAITING = 100;

const lines = new WeakMap<Duplex, Line>();

/**
 * Carries out the requests of a connection one after the other, as they came (RFC 9112 section 9.3.2): the next one
 * begins when the one before is answered. So answers belong to their requests, and a request whose connection ends
 * before its turn is never begun, and never charged. Node by itself begins all of them at once.
 */
export function carryOutInTurn(server: Server): void {
  // A client that has sent all it wants to and closes its side still waits for its answers.
  Object.assign(server, { httpAllowHalfOpen: true });
  const handlers = server.listeners('request');
  server.removeAllListeners('request');
  const begin = (line: Line, exchange: Exchange): void => {
    line.current = exchange;
    const { request, response } = exchange;
    // The answer before it has set the limit of an idle client; whoever waits for this one is not idle.
    request.socket.setTimeout(0);
    // Node reads nothing of a connection after such a request, although nobody takes the upgrade.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    response.once('close', () => next(line, request.socket));
    for (const handler of handlers) handler.call(server, request, response);
  };

  function next(line: Line, socket: Socket): void {
    line.current = null;
    const exchange = socket.writable ? line.waiting.shift() : undefined;
    if (exchange !== undefined) {
      if (line.waiting.length === 0 && !line.isLast) socket.resume();
      begin(line, exchange);
      return;
    }
    lines.delete(socket);
    if (line.isLast && socket.writable) endLingering(socket);
  }

  server.on('request', (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? { current: null, waiting: [], isLast: false };
    lines.set(socket, line);
    if (line.current === null) {
      begin(line, { request, response });
      return;
    }
    line.waiting.push({ request, response });
    // Node reads on after every request that is complete, in the tick that follows.
    if (line.waiting.length >= MOST_WAITING) queueMicrotask(() => !line.isLast && socket.pause());
  });
}

/**
 * What came last on this connection is broken. Where a request that was read in full has no answer yet, such requests
 * are answered, the connection is closed after them without a word, and this returns true: an error that is written now,
 * or after them, could be read as the answer to one that was charged.
 */
export function endAfterAnswers(socket: Duplex): boolean {
  const line = lines.get(socket);
  if (line?.current == null) return false;
  const { request, response } = line.current;
  if (!request.complete && !response.headersSent) return false;
  line.isLast = true;
  line.waiting = line.waiting.filter((each) => each.request.complete);
  // Not to the parser of HTTP any more. With a listener of ours the socket is read through its stream first.
  socket.on('data', () => undefined);
  socket.removeAllListeners('data');
  socket.pause();
  return true;
}
