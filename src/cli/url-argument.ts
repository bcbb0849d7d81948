import { UsageError } from '../cli-kit/exit-codes.ts';
import { normalizeUrl, type Url } from '../url/normalize-url.ts';

/** The URL as the ledger knows it. */
export function parseUrlArgument(loc: string): Url {
  const normal = normalizeUrl(loc);
  if (normal.ok) return normal.url;
  throw new UsageError(
    `"${loc}" is not a URL that can be submitted (${normal.reason}). Nothing was changed. Write the full URL: https://…`,
  );
}
