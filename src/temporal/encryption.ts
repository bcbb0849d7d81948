import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';

/** A payload is encrypted with a key that the configuration does not have, or was changed. Exit code 2. */
export class PayloadKeyError extends Error {
  override readonly name = 'PayloadKeyError';
}

/** Keys as the configuration names them. Secrets are read once, when a program starts. */
export interface Encryption {
  /** Encrypts; null: nothing is encrypted any more, but what was stays readable. */
  readonly key: string | null;
  /** Decrypt only. */
  readonly formerKeys: readonly string[];
}

/** Metadata of an encrypted payload, which stays readable. */
const ENCODING = 'binary/encrypted';
const CIPHER = 'AES-256-GCM';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * Encrypts every payload with AES-256-GCM. The id of the key, which is made of the key itself, stands beside it, so that
 * former keys can be found. Payloads that are not encrypted are read as they are: workflows that began without a key stay
 * readable.
 */
export function createEncryptionCodec({ key, formerKeys }: Encryption): PayloadCodec {
  const current = key === null ? null : parseKey(key);
  const keys = new Map(
    [...formerKeys.map(parseKey), ...(current === null ? [] : [current])].map((one) => [one.id, one]),
  );
  return {
    async encode(payloads) {
      return current === null ? payloads : payloads.map((payload) => encrypt(payload, current));
    },
    async decode(payloads) {
      return payloads.map((payload) => (isEncrypted(payload) ? decrypt(payload, keys) : payload));
    },
  };
}

/** 32 bytes as base64 or as 64 hexadecimal digits. Throws a PayloadKeyError that does not repeat the text. */
export function parseKey(text: string): Key {
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if (bytes.length !== 32 || !/^[A-Za-z0-9+/_=-]+$/.test(text))
    throw new PayloadKeyError(
      'A key of temporal.encryption is not 32 bytes in base64 or hexadecimal digits, so nothing was started or charged. ' +
        'Create one with: openssl rand -base64 32',
    );
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 12), bytes };
}

const isEncrypted = ({ metadata }: Payload): boolean => toText(metadata?.encoding) === ENCODING;
const toText = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString();

function encrypt(payload: Payload, { id, bytes }: Key): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce);
  const sealed = Buffer.concat([cipher.update(pack(payload)), cipher.final()]);
  return {
    metadata: {
      encoding: Buffer.from(ENCODING),
      'encryption-cipher': Buffer.from(CIPHER),
      'encryption-key-id': Buffer.from(id),
    },
    data: Buffer.concat([nonce, cipher.getAuthTag(), sealed]),
  };
}

function decrypt({ metadata, data }: Payload, keys: ReadonlyMap<string, Key>): Payload {
  const id = toText(metadata?.['encryption-key-id']);
  const key = keys.get(id);
  if (key === undefined)
    throw new PayloadKeyError(
      `Data of a workflow is encrypted with the key ${id}, which temporal.encryption does not have, so the workflow waits; ` +
        'nothing is lost or charged. Add the key to temporal.encryption.former_keys and restart the worker.',
    );
  const bytes = Buffer.from(data ?? []);
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return unpack(Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]));
  } catch (cause) {
    throw new PayloadKeyError(
      `Data of a workflow that is encrypted with the key ${id} was changed outside of this program. Nothing was charged. ` +
        'Terminate the workflow: the ledger has everything that its successor needs.',
      { cause },
    );
  }
}

/** The length of the metadata, the metadata as JSON with base64 values, the data. */
function pack({ metadata, data }: Payload): Buffer {
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [
    name,
    Buffer.from(value ?? []).toString('base64'),
  ]);
  const head = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, data ?? new Uint8Array()]);
}

function unpack(plain: Buffer): Payload {
  const end = 4 + plain.readUInt32BE();
  const head = JSON.parse(plain.subarray(4, end).toString()) as Readonly<Record<string, string>>;
  return {
    metadata: Object.fromEntries(Object.entries(head).map(([name, value]) => [name, Buffer.from(value, 'base64')])),
    data: plain.subarray(end),
  };
}
