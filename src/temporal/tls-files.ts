import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { TemporalAccessError } from './access-error.ts';

/** Certificates and names as the SDK takes them. */
export type TlsConfig = Exclude<NonNullable<NativeConnectionOptions['tls']>, boolean>;

/** Absolute paths of PEM files, and the name that the server must prove. */
export interface TlsFiles {
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
  readonly serverName: string | null;
}

/** The TLS settings that the SDK takes. Throws a TemporalAccessError when a file cannot be read. */
export function readTls({ ca, cert, key, serverName }: TlsFiles): TlsConfig {
  return {
    ...(ca === null ? {} : { serverRootCACertificate: read('ca', ca) }),
    ...(cert === null || key === null ? {} : { clientCertPair: { crt: read('cert', cert), key: read('key', key) } }),
    ...(serverName === null ? {} : { serverNameOverride: serverName }),
  };
}

function read(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new TemporalAccessError(
      `The file ${path} of temporal.tls.${setting} cannot be read (${code})`,
      'Correct its path or permissions',
      { cause },
    );
  }
}

/**
 * Finds what would make the handshake fail on our side, which the server would answer with an alert that explains nothing.
 * Throws a TemporalAccessError; returns when the client certificate ends, in milliseconds; null without one.
 */
export function checkTls(tls: TlsConfig, now: number): number | null {
  const { serverRootCACertificate: ca, clientCertPair: pair } = tls;
  if (ca !== undefined) parseCertificate(ca, 'the authorities of the server (temporal.tls.ca)');
  if (pair === undefined) return null;
  const name = 'the client certificate (temporal.tls.cert)';
  const certificate = parseCertificate(pair.crt, name);
  const key = parseKey(pair.key);
  if (!certificate.checkPrivateKey(key))
    throw new TemporalAccessError(
      `The private key of temporal.tls.key does not belong to ${name}`,
      'Configure the two files that were issued together',
    );
  const { validFromDate, validToDate } = certificate;
  if (validToDate.getTime() <= now)
    throw new TemporalAccessError(
      `Since ${validToDate.toISOString()} ${name} is no longer valid, so the server would refuse it`,
      'Renew it and replace both files; a worker takes the new ones up by itself',
    );
  if (validFromDate.getTime() > now)
    throw new TemporalAccessError(
      `Before ${validFromDate.toISOString()} ${name} is not valid, so the server would refuse it`,
      'Check the clock of this machine, or wait until then',
    );
  return validToDate.getTime();
}

function parseCertificate(pem: Uint8Array, name: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new TemporalAccessError(
      `The file of ${name} does not hold a certificate`,
      'Configure a file in PEM format, which begins with -----BEGIN CERTIFICATE-----',
      { cause },
    );
  }
}

function parseKey(pem: Uint8Array): KeyObject {
  try {
    return createPrivateKey(Buffer.from(pem));
  } catch (cause) {
    const encrypted = /ENCRYPTED/.test(Buffer.from(pem).toString('latin1'));
    throw new TemporalAccessError(
      `The file of temporal.tls.key ${encrypted ? 'is encrypted with a passphrase, which cannot be given' : 'does not hold a private key'}`,
      encrypted
        ? 'Store the key without a passphrase, readable by the worker alone'
        : 'Configure a file in PEM format, which begins with -----BEGIN PRIVATE KEY-----',
      { cause },
    );
  }
}
