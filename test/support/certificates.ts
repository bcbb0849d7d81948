/** A certificate authority for tests: X.509 in DER, written by hand, because Node reads certificates and issues none. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const DAY = 86_400_000;

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

export interface Subject {
  readonly name: string;
  /** Names and IPv4 addresses that it is valid for. */
  readonly hosts?: readonly string[];
  /** Validity from now, in days. */
  readonly days?: readonly [from: number, to: number];
}

export interface Authority extends Certificate {
  issue(subject: Subject): Certificate;
}

/** Creates an authority with a key of its own. */
export function createAuthority(name: string): Authority {
  const keys = newKeys();
  const cert = write({ name }, keys.publicKey, { name, key: keys.privateKey }, true);
  return {
    cert,
    key: toPem(keys.privateKey),
    issue(subject) {
      const own = newKeys();
      return {
        cert: write(subject, own.publicKey, { name, key: keys.privateKey }, false),
        key: toPem(own.privateKey),
      };
    },
  };
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const toPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

function write(
  { name, hosts = [], days: [from, to] = [-1, 30] }: Subject,
  publicKey: KeyObject,
  issuer: { readonly name: string; readonly key: KeyObject },
  isAuthority: boolean,
): string {
  const now = Date.now();
  const names = hosts.map((host) =>
    /^[\d.]+$/.test(host) ? tag(0x87, Buffer.from(host.split('.').map(Number))) : tag(0x82, Buffer.from(host)),
  );
  const extensions = [
    sequence(oid(BASIC_CONSTRAINTS), TRUE, octets(sequence(...(isAuthority ? [TRUE] : [])))),
    ...(names.length === 0 ? [] : [sequence(oid(ALTERNATIVE_NAMES), octets(sequence(...names)))]),
  ];
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const body = sequence(
    tag(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    toName(issuer.name),
    sequence(toTime(now + from * DAY), toTime(now + to * DAY)),
    toName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, issuer.key);
  const der = sequence(body, algorithm, tag(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13];
const ALTERNATIVE_NAMES = [0x55, 0x1d, 0x11];
const COMMON_NAME = [0x55, 0x04, 0x03];
const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];

function tag(type: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, Math.floor(length / 0x100), length % 0x100];
  return Buffer.concat([Buffer.from([type, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => tag(0x30, Buffer.concat(parts));
const octets = (content: Buffer): Buffer => tag(0x04, content);
const integer = (content: Buffer): Buffer => tag(0x02, content);
const oid = (bytes: readonly number[]): Buffer => tag(0x06, Buffer.from(bytes));
const TRUE = tag(0x01, Buffer.from([0xff]));

const toName = (name: string): Buffer => sequence(tag(0x31, sequence(oid(COMMON_NAME), tag(0x0c, Buffer.from(name)))));

/** YYMMDDHHMMSSZ, for the years up to 2049. */
const toTime = (at: number): Buffer =>
  tag(0x17, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
