import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { StatementReader } from './postgres-messages.ts';

/**
 * What becomes of a statement: `pass`; the connection is cut before the server has it, or before the client has the
 * answer; `swallow`: the server has it, and the connection stays open without an answer.
 */
export type Fate = 'pass' | 'cut-before' | 'cut-after' | 'swallow';

export interface Statement {
  readonly bytes: Buffer;
  /** The process of the server that carries it out; null while it is not known. */
  readonly backend: number | null;
}

/** A proxy before a Postgres server, to break connections in tests. */
export interface Proxy {
  readonly port: number;
  /** Ends every connection and accepts no new one. */
  cut(): Promise<void>;
  /** Accepts connections again, and lets every statement pass. */
  restore(): Promise<void>;
  /** Asks for the fate of each statement from now on. */
  judge(decide: (statement: Statement) => Fate | Promise<Fate>): void;
  /** Forwards what comes next to the server, and ends the connection instead of returning the answer. */
  dropAnswers(): void;
  /** The same with each COMMIT. */
  dropAnswersToCommit(): void;
}

const pass = (): Fate => 'pass';

export async function openProxy(target: URL): Promise<Proxy> {
  const open = new Set<Socket>();
  let decide: (statement: Statement) => Fate | Promise<Fate> = pass;

  function forward(socket: Socket): void {
    const upstream = connect(Number(target.port), target.hostname);
    const reader = new StatementReader();
    let backend: number | null = null;
    let answers: 'forwarded' | 'cut' | 'swallowed' = 'forwarded';
    let turn = Promise.resolve();
    open.add(socket).add(upstream);
    const send = async (bytes: Buffer, isStatement: boolean) => {
      const fate = isStatement ? await decide({ bytes, backend }) : 'pass';
      if (fate === 'cut-before') socket.destroy();
      else {
        if (fate !== 'pass') answers = fate === 'swallow' ? 'swallowed' : 'cut';
        upstream.write(bytes);
      }
    };
    socket.on('data', (data: Buffer) => {
      for (const { bytes, isStatement } of reader.read(data)) turn = turn.then(() => send(bytes, isStatement));
    });
    upstream.on('data', (bytes: Buffer) => {
      backend ??= findBackend(bytes);
      if (answers === 'cut') socket.destroy();
      else if (answers === 'forwarded') socket.write(bytes);
    });
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.on('close', () => open.delete(from));
    }
  }

  const listen = async (port: number): Promise<Server> => {
    const server = createServer(forward);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    decide = pass;
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
      await closed;
    },
    async restore() {
      server = await listen(port);
    },
    judge(judge) {
      decide = judge;
    },
    dropAnswers() {
      decide = () => 'cut-after';
    },
    dropAnswersToCommit() {
      decide = ({ bytes }) => (bytes.includes('COMMIT') ? 'cut-after' : 'pass');
    },
  };
}

/** The message BackendKeyData, by which a server names its process when a connection begins. */
const BACKEND_KEY = Buffer.from([0x4b, 0, 0, 0, 12]);

function findBackend(answer: Buffer): number | null {
  const at = answer.indexOf(BACKEND_KEY);
  return at < 0 ? null : answer.readUInt32BE(at + BACKEND_KEY.length);
}
