import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy before a database server, to break connections in tests. */
export interface Proxy {
  readonly port: number;
  /** Ends every connection and accepts no new one. */
  cut(): Promise<void>;
  /** Accepts connections again. */
  restore(): Promise<void>;
  /** Forwards what comes next to the server, and ends the connection instead of returning the answer. */
  dropAnswers(): void;
  /** The same, from the next COMMIT on. */
  dropAnswersToCommit(): void;
}

export async function openProxy(target: URL): Promise<Proxy> {
  const open = new Set<Socket>();
  let dropping = false;
  let armed = false;
  const listen = async (port: number): Promise<Server> => {
    const server = createServer((socket) => {
      const upstream = connect(Number(target.port), target.hostname);
      open.add(socket).add(upstream);
      socket.on('data', (bytes) => {
        dropping ||= armed && bytes.includes('COMMIT');
        upstream.write(bytes);
      });
      upstream.on('data', (bytes) => {
        if (dropping) socket.destroy();
        else socket.write(bytes);
      });
      for (const [from, to] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        from.on('error', () => to.destroy()).on('close', () => to.destroy());
      }
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    dropping = false;
    armed = false;
    return server;
  };
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async cut() {
      const closed = server.listening ? once(server, 'close') : undefined;
      server.close();
      for (const socket of open) socket.destroy();
      open.clear();
      await closed;
    },
    async restore() {
      server = await listen(port);
    },
    dropAnswers() {
      dropping = true;
    },
    dropAnswersToCommit() {
      armed = true;
    },
  };
}
