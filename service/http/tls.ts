import { readFileSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { TlsFiles } from '../settings.ts';
import { SettingsError } from '../settings-error.ts';

/** How often the files are compared with what is in use. */
const CHECK_MS = 5_000;
/** A client that opens a connection and does not finish the handshake. */
const HANDSHAKE_MS = 8_000;

interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** The options of a server that speaks TLS with these files. Throws a SettingsError when they cannot be used. */
export function toTlsOptions(files: TlsFiles) {
  try {
    return { ...readPair(files), minVersion: 'TLSv1.2' as const, handshakeTimeout: HANDSHAKE_MS };
  } catch (error) {
    throw new SettingsError(
      `TLS cannot be served with ${files.certFile} and ${files.keyFile}: ${(error as Error).message}. ` +
        'Nothing was started; correct tls.cert_file and tls.key_file.',
    );
  }
}

/** Reads both files and checks that they fit each other. */
function readPair({ certFile, keyFile }: TlsFiles): Pair {
  const pair = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  createSecureContext(pair);
  return pair;
}

interface Events {
  readonly onReload: () => void;
  /** The files cannot be used: the service continues with the certificate that it has. */
  readonly onError: (error: unknown) => void;
}

/**
 * Uses a renewed certificate for new connections, without a restart. Modification times are compared, and links are
 * followed, so it works for files that are replaced and for links that are switched. Returns how to stop it.
 */
export function reloadCertificates(server: Server, files: TlsFiles, { onReload, onError }: Events, everyMs = CHECK_MS) {
  let seen = describe(files);
  const timer = setInterval(() => {
    const now = describe(files);
    if (now === seen) return;
    seen = now;
    try {
      (server as TlsServer).setSecureContext({ ...readPair(files), minVersion: 'TLSv1.2' });
      onReload();
    } catch (error) {
      // Key and certificate are two files: between the two writes they do not fit, and the second write is seen too.
      onError(error);
    }
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** What tells one state of the files from another. A file that is missing for a moment differs as well. */
function describe({ certFile, keyFile }: TlsFiles): string {
  return [certFile, keyFile]
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found === undefined ? 'absent' : `${found.ino} ${found.size} ${found.mtimeMs}`;
    })
    .join(' ');
}
