import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type CommandError, UsageError } from '../../cli-kit/exit-codes.ts';
import type { WatchId } from '../../submission/ids.ts';

/** A sitemap that the user named on the command line, as a watch of the demo. */
export interface NamedSource {
  readonly watch: WatchId;
  /** An address, or an absolute path. */
  readonly source: string;
  /** The loopback or private host that the user named, and so allowed. */
  readonly host: string | null;
}

/** Throws a usage error for what is neither a web address nor a file that is there. */
export function namedSource(argument: string): NamedSource {
  if (/^https?:\/\//i.test(argument)) {
    if (!URL.canParse(argument)) throw notASource(argument, 'it is not a complete address');
    const url = new URL(argument);
    return { watch: watchName(`${url.hostname} ${url.pathname}`, argument), source: url.href, host: url.hostname };
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(argument))
    throw notASource(argument, 'only http, https and local files can be read');
  const path = resolve(argument);
  if (!existsSync(path)) throw notASource(argument, 'the file does not exist');
  if (!statSync(path).isFile()) throw notASource(argument, 'it is a folder');
  return { watch: watchName(basename(path), path), source: path, host: null };
}

function notASource(argument: string, why: string): CommandError {
  return new UsageError(
    `${argument}: ${why}. Nothing was started and nothing was charged. Name a sitemap's address (https://…/sitemap.xml) or a file.`,
  );
}

/** A readable watch name that stays the same for the same source: `shop-example-1a2b3c`. */
function watchName(label: string, identity: string): WatchId {
  const slug = label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  const mark = createHash('sha256').update(identity).digest('hex').slice(0, 6);
  return `${slug === '' ? 'sitemap' : slug}-${mark}` as WatchId;
}
