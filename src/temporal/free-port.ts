import { createServer } from 'node:net';

/** The preferred port when it is free on loopback, else any free one. */
export async function freePort(wanted = 0): Promise<number> {
  for (const port of wanted === 0 ? [0] : [wanted, 0]) {
    const free = await tryPort(port);
    if (free !== null) return free;
  }
  throw new Error('no free port on 127.0.0.1');
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : null));
    });
  });
}
