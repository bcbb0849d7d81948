import { createHash } from 'node:crypto';
import { toTls } from './connect.ts';
import type { RuntimeLogger } from './runtime.ts';
import { resolveTemporal, type TemporalSettings } from './settings.ts';
import { checkTls } from './tls-files.ts';

export interface FollowOptions {
  readonly log: Pick<RuntimeLogger, 'info' | 'warn'>;
  /** Takes a rotated API key. */
  readonly setApiKey: (key: string) => Promise<void>;
  /** Connects again, with the certificates of this moment. */
  readonly reconnect: () => Promise<void>;
}

/**
 * Returns a function that compares the credentials with those in use and puts changed ones in force; call it every few
 * seconds. Bad ones change nothing: the worker goes on with the former, and they are tried again at the next call.
 */
export function followCredentials(
  settings: TemporalSettings,
  { log, setApiKey, reconnect }: FollowOptions,
): () => Promise<void> {
  let inUse = readCredentials(settings);
  let complaint = '';

  return async () => {
    try {
      const next = readCredentials(settings);
      if (next.tls !== inUse.tls) {
        await reconnect();
        log.info('the certificates of the Temporal connection changed; the worker has connected with the new ones');
      } else if (next.apiKey !== undefined && next.apiKey !== inUse.apiKey) {
        await setApiKey(next.apiKey);
        log.info('the Temporal API key changed; the worker uses the new one');
      }
      inUse = next;
      complaint = '';
    } catch (error) {
      const { message } = error as Error;
      if (message !== complaint)
        log.warn(`${message} The worker continues with the credentials of Temporal before the change.`);
      complaint = message;
    }
  };
}

/** The certificates as a digest. Throws when the two files of a client certificate do not belong together. */
function readCredentials(settings: TemporalSettings): { readonly tls: string; readonly apiKey: string | undefined } {
  const { options } = resolveTemporal(settings);
  const tls = toTls(options);
  // Files that do not belong together are halfway through their replacement.
  if (tls !== null) checkTls(tls, Date.now());
  const digest = createHash('sha256');
  for (const part of [tls?.serverRootCACertificate, tls?.clientCertPair?.crt, tls?.clientCertPair?.key])
    digest.update(`${part?.length ?? 0}:`).update(part ?? '');
  return { tls: digest.digest('hex'), apiKey: options.apiKey };
}
