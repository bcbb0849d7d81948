import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The version of this package, printed by the programs and sent in their User-Agent. */
export const VERSION = version;

/** Where the pages are that messages name as `docs/…`. The compiled program lies one folder deeper. */
export const DOCS_FOLDER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../docs' : '../../../docs', import.meta.url),
);
