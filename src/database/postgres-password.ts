import { readFileSync } from 'node:fs';
import { DatabaseUrlError } from './database.ts';

/**
 * Adds the password in `file` to the URLs that have none: PGPASSWORD_FILE names it where secrets are mounted as files.
 * Throws a DatabaseUrlError when it cannot be read.
 */
export function addPassword(urls: readonly URL[], file: string | undefined): void {
  if (file === undefined || file === '' || urls.every(({ password }) => password !== '')) return;
  const password = encodeURIComponent(readPassword(file));
  for (const url of urls) if (url.password === '') url.password = password;
}

function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new DatabaseUrlError(
      `the file ${file} that PGPASSWORD_FILE names cannot be read (${(error as NodeJS.ErrnoException).code}). ` +
        'Correct its path or its permissions',
    );
  }
}
