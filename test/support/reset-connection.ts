import type { Socket } from 'node:net';

/**
 * Ends a connection with RST. One that is shutting down, because the other side has ended it, cannot be reset any more: Node
 * would take it for closed although it is not, and the process would never end, at full load.
 */
export function resetConnection(socket: Socket): void {
  if (socket.writableEnded || socket.destroyed) socket.destroy();
  else socket.resetAndDestroy();
}
