import { readFileSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { maskSecrets } from './mask-secrets.ts';
import type { SecretReference } from './schema.ts';

/** A configured secret is missing, or is no such secret. Nothing was sent. Exit code 2. */
export class SecretMissingError extends Error {
  override readonly name = 'SecretMissingError';

  /** `file`: the secret file that the message names; its folder may look like a key. */
  constructor(message: string, { file }: { readonly file?: string } = {}) {
    super(maskSecrets(message, { keep: file === undefined ? [] : [`${dirname(file)}${sep}`] }));
  }
}

/**
 * Reads a secret from its configured source. Read for each use, so that a rotated key takes effect at once; the value
 * goes into a request header and nowhere else.
 */
export function readSecret(reference: SecretReference): string {
  if ('env' in reference) {
    const value = process.env[reference.env];
    if (value !== undefined && value.trim() !== '') return value.trim();
    throw new SecretMissingError(
      `The environment variable ${reference.env} is not set, so no request was made. Set it, or use { file: PATH } in the configuration.`,
    );
  }
  try {
    const value = readFileSync(reference.file, 'utf8').trim();
    if (value !== '') return value;
  } catch (error) {
    throw new SecretMissingError(
      `The secret file ${reference.file} cannot be read (${(error as NodeJS.ErrnoException).code}), so no request was made. Correct its path or permissions.`,
      reference,
    );
  }
  throw new SecretMissingError(
    `The secret file ${reference.file} is empty, so no request was made. Write the secret into it.`,
    reference,
  );
}

/**
 * Reads an API key, which goes into the header of each request. One that a header cannot carry was pasted with something else:
 * it counts as missing, and is not repeated.
 */
export function readApiKey(reference: SecretReference): string {
  const key = readSecret(reference);
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  const where = 'env' in reference ? `The environment variable ${reference.env}` : `The secret file ${reference.file}`;
  throw new SecretMissingError(
    `${where} holds spaces, line breaks or letters that no API key has, so no request was made. Write the key alone into it, without "Bearer" and quotes.`,
    'file' in reference ? reference : {},
  );
}
