/** A Temporal server behind TLS, with what a cluster asks of its clients: certificates, API keys, rights. */
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { TLSSocket } from 'node:tls';
import type { Certificate } from './certificates.ts';

/** A gRPC status. */
export interface Denial {
  readonly code: number;
  readonly message: string;
}

export interface SecuredOptions {
  /** The server behind it, which speaks no TLS. */
  readonly target: string;
  /** Absent: it speaks no TLS either. */
  readonly certificate?: Certificate;
  /** The authority of client certificates (mTLS); absent: none is asked for. */
  readonly clientCa?: string;
  /** Whether a request is refused: its method, such as `/temporal.api.workflowservice.v1.WorkflowService/GetSystemInfo`. */
  readonly deny?: (method: string, headers: IncomingHttpHeaders) => Denial | null;
}

export interface SecuredTemporal {
  readonly address: string;
  /** Serial numbers of the client certificates of open and former connections. */
  readonly clients: ReadonlySet<string>;
  /** Ends the open connections, so that clients come back. */
  dropConnections(): void;
}

export async function secureTemporal(
  t: TestContext,
  { target, certificate, clientCa, deny = () => null }: SecuredOptions,
): Promise<SecuredTemporal> {
  const server =
    certificate === undefined
      ? createServer()
      : createSecureServer({
          ...certificate,
          ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
        });
  const clients = new Set<string>();
  const sessions = new Set<ServerHttp2Session>();
  let behind: ClientHttp2Session | null = null;
  const getSession = () => {
    if (behind === null || behind.closed || behind.destroyed) {
      behind = connect(`http://${target}`);
      behind.on('error', () => undefined);
    }
    return behind;
  };
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
    session.on('close', () => sessions.delete(session));
    const peer = certificate === undefined ? null : (session.socket as TLSSocket).getPeerCertificate();
    if (peer?.serialNumber !== undefined) clients.add(peer.serialNumber);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const denied = deny(String(headers[':path']), headers);
    if (denied === null) forward(stream, headers, getSession());
    else
      stream.respond(
        {
          ':status': 200,
          'content-type': 'application/grpc',
          'grpc-status': String(denied.code),
          'grpc-message': encodeURIComponent(denied.message),
        },
        { endStream: true },
      );
  });
  server.on('tlsClientError', () => undefined);
  const dropConnections = () => {
    for (const session of sessions) session.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    dropConnections();
    behind?.destroy();
    server.close();
  });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, clients, dropConnections };
}

/** Passes a request on and its answer back, with the trailers, which carry the status of gRPC. */
function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, session: ClientHttp2Session): void {
  const request = session.request(headers, { endStream: false });
  let trailers: IncomingHttpHeaders = {};
  request.on('error', () => stream.close());
  stream.on('close', () => request.close());
  stream.pipe(request);
  request.on('trailers', (received) => {
    trailers = received;
  });
  request.on('response', (received) => {
    if (stream.destroyed || stream.closed) return;
    if (received['grpc-status'] !== undefined) {
      stream.respond(received, { endStream: true });
      return;
    }
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    stream.respond(received, { waitForTrailers: true });
    request.pipe(stream);
  });
}
