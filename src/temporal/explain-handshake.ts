import { isIP } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { TemporalAccessError } from './access-error.ts';
import type { TlsConfig } from './tls-files.ts';

/** After the handshake a server that accepts us sends its HTTP/2 settings; one that does not, an alert. */
const WAIT_MS = 10_000;

/** How the first moment of a connection ended. */
type Handshake = 'accepted' | 'silent' | NodeJS.ErrnoException;

/**
 * Why no connection comes about, where TLS is the reason: the gRPC libraries say "deadline exceeded" for all of them. Null
 * when the reason is another, such as a server that is not there.
 */
export async function explainHandshake(address: string, tls: TlsConfig | null): Promise<TemporalAccessError | null> {
  const { host, port } = parseAddress(address);
  if (tls === null) {
    const found = await handshake(() =>
      connectTls({ host, port, ALPNProtocols: ['h2'], rejectUnauthorized: false, ...toServerName(host) }),
    );
    if (!(found instanceof Error) || isAlert(found) || found.code === HUNG_UP)
      return new TemporalAccessError(
        `The Temporal server at ${address} speaks TLS, and this connection does not`,
        'Add temporal.tls: {} with what the server asks for, or temporal.api_key',
      );
    return null;
  }
  const { serverNameOverride: name = null, serverRootCACertificate: ca, clientCertPair: pair } = tls;
  const found = await handshake(() =>
    connectTls({
      ...{ host, port, ALPNProtocols: ['h2'] },
      ...(name === null ? toServerName(host) : { servername: name }),
      ...(ca === undefined ? {} : { ca: Buffer.from(ca) }),
      ...(pair === undefined ? {} : { cert: Buffer.from(pair.crt), key: Buffer.from(pair.key) }),
    }),
  );
  if (!(found instanceof Error)) return null;
  return explain(found, {
    address,
    expected: name ?? host,
    hasCertificate: pair !== undefined,
    hasCa: ca !== undefined,
  });
}

interface Attempt {
  readonly address: string;
  readonly expected: string;
  readonly hasCertificate: boolean;
  readonly hasCa: boolean;
}

function explain(error: NodeJS.ErrnoException, attempt: Attempt): TemporalAccessError | null {
  const { address, expected, hasCertificate, hasCa } = attempt;
  const { code = '' } = error;
  const server = `The Temporal server at ${address}`;
  const fail = (problem: string, next: string) => new TemporalAccessError(problem, next, { cause: error });
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const { cert } = error as { readonly cert?: { readonly subjectaltname?: string } };
    return fail(
      `${server} has no certificate for the name ${expected}, but for ${cert?.subjectaltname ?? 'another one'}`,
      'Correct temporal.address, or set temporal.tls.server_name to the name in its certificate',
    );
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return fail(
      `The certificate of the Temporal server at ${address} ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}`,
      'Let its operator renew it, or check the clock of this machine',
    );
  if (UNKNOWN_ISSUER.has(code))
    return fail(
      `${server} has a certificate of an authority that ${hasCa ? 'temporal.tls.ca does not name' : 'the system does not know'} (${code})`,
      `Configure the file of its authority as temporal.tls.ca`,
    );
  if (isAlert(error) || code === HUNG_UP)
    return hasCertificate
      ? fail(
          `${server} does not accept the client certificate of temporal.tls.cert (${toAlert(code)})`,
          'Use a certificate of an authority that the server knows, which has not expired',
        )
      : fail(
          `${server} refuses the connection, most likely because it asks for a client certificate (${toAlert(code)})`,
          'Configure temporal.tls.cert and temporal.tls.key',
        );
  if (NO_TLS.has(code))
    return fail(
      `${server} does not speak TLS, and this connection does`,
      'Remove temporal.tls and temporal.api_key, or correct temporal.address: a key is never sent without TLS',
    );
  return null;
}

const UNKNOWN_ISSUER = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]);
const NO_TLS = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_UNEXPECTED_MESSAGE',
]);

const isAlert = ({ code = '' }: NodeJS.ErrnoException): boolean => /^ERR_SSL_.*ALERT/.test(code);
const toAlert = (code: string): string =>
  code === HUNG_UP
    ? 'it hangs up after the handshake'
    : code
        .replace(/^ERR_SSL_(?:\w+?_)?ALERT_/, '')
        .replaceAll('_', ' ')
        .toLowerCase();

/** An IP address is not a name for TLS. */
const toServerName = (host: string) => (isIP(host) === 0 ? { servername: host } : {});

/** Waits for what the server says after the handshake: some refuse a client only then, by an alert or by hanging up. */
function handshake(connect: () => TLSSocket): Promise<Handshake> {
  return new Promise((resolve) => {
    const socket = connect();
    let done = false;
    const end = (how: Handshake) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(how);
    };
    const endClosed = (error: NodeJS.ErrnoException) => end(done && !isAlert(error) ? failure(HUNG_UP) : error);
    const timer = setTimeout(() => end(done ? 'silent' : failure('ETIMEDOUT')), WAIT_MS);
    socket.once('secureConnect', () => {
      done = true;
    });
    socket.once('data', () => end('accepted'));
    socket.on('error', endClosed);
    socket.once('close', () => endClosed(failure('ECONNRESET')));
  });
}

const HUNG_UP = 'HUNG_UP_AFTER_HANDSHAKE';
const failure = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });

function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const [, host = 'localhost', port = '7233'] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(address) ?? [];
  return { host, port: Number(port) };
}
