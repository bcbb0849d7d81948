import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How long, and how much, is read from a client that sends on after its answer. */
export const LINGER = { ms: 5_000, bytes: 32 * 1024 * 1024 } as const;

const lingering = new WeakSet<Duplex>();

/**
 * Writes the last bytes of a connection and closes it without losing them. A connection that is closed while the client
 * still sends is reset, and the reset makes the client forget an answer that it has not read yet (RFC 9112 section 9.6).
 * So what it sends is read and dropped until it closes its side, for a limited time and amount.
 */
export function endLingering(socket: Duplex, lastBytes = ''): void {
  if (lingering.has(socket)) return;
  lingering.add(socket);
  const destroy = () => void socket.destroy();
  const timer = setTimeout(destroy, LINGER.ms).unref();
  let dropped = 0;
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', destroy);
  // Not to the parser of HTTP any more: a request behind this one must not be carried out.
  socket.removeAllListeners('data');
  socket.on('data', (bytes: Buffer) => {
    dropped += bytes.length;
    if (dropped > LINGER.bytes) destroy();
  });
  socket.resume();
  socket.end(lastBytes);
}

/** The same for a connection that the server closes by itself after the answer that is being written. */
export function lingerAfterAnswer(socket: Socket): void {
  // Node calls this once the answer is complete, to close the connection as soon as it is sent.
  socket.destroySoon = () => endLingering(socket);
}
