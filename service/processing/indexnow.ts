import { required } from '../required.ts';
import { SettingsError } from '../settings-error.ts';
import { type Item, type Outcome, type Processor, TryLaterError } from './processor.ts';
import type { IndexNowSettings } from './settings.ts';

/** URLs of one host in one request; the protocol allows 10,000, twice what a submission holds. */
const MAX_BATCH = 10_000;
/** Hosts that are sent at the same time. */
const PARALLEL = 8;
const REQUEST_MS = 20_000;
/** A run leaves what is left to the next attempt before its activity would time out. */
const RUN_MS = 90_000;

/**
 * The IndexNow protocol: URLs are sent per host with the key that the host serves in a file. 200 and 202 mean
 * received, not indexed. 400, 403 and 422 fail the batch with the protocol's own reason; 429 waits for
 * Retry-After; Temporal retries everything else.
 */
export function indexNowProcessor(settings: IndexNowSettings, fetcher: typeof fetch = fetch): Processor {
  if (!/^[A-Za-z0-9-]{8,128}$/.test(settings.key)) {
    throw new SettingsError('the IndexNow key must have 8 to 128 characters of a-z, A-Z, 0-9 and hyphen');
  }
  return {
    name: 'indexnow',
    plan: () => ({ queuedMs: 0, stepMs: 0 }),
    // One step: in steps that follow each other, a host that never answers would keep the hosts of later ones waiting.
    split: (items) => [items],
    async run(items, record, signal) {
      const batches = byHost(items).values();
      const until = performance.now() + RUN_MS;
      const later: TryLaterError[] = [];
      const work = async (): Promise<void> => {
        for (const batch of batches) {
          if (performance.now() > until) throw new TryLaterError('continuing with the next host', 0);
          try {
            const refusal = await send(batch, settings, fetcher, signal);
            await record(batch.map(({ position }) => outcome(position, refusal)));
          } catch (error) {
            if (!(error instanceof TryLaterError)) throw error;
            later.push(error);
          }
        }
      };
      const workers = await Promise.allSettled(Array.from({ length: PARALLEL }, work));
      for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
      if (later.length > 0) throw soonest(later);
    },
  };
}

/** When one of several hosts may be sent again; the others keep their turn until it is theirs. */
function soonest(errors: readonly TryLaterError[]): TryLaterError {
  const wait = ({ afterMs }: TryLaterError) => afterMs ?? Number.POSITIVE_INFINITY;
  return errors.reduce((first, next) => (wait(next) < wait(first) ? next : first));
}

const outcome = (position: number, refusal: string | null): Outcome =>
  refusal === null ? { position, status: 'completed', reason: null } : { position, status: 'failed', reason: refusal };

/** Batches of one host each, in the order in which the hosts first come. */
export function byHost(items: readonly Item[]): Item[][] {
  const hosts = Map.groupBy(items, ({ url }) => new URL(url).host);
  return [...hosts.values()].flatMap((batch) =>
    Array.from({ length: Math.ceil(batch.length / MAX_BATCH) }, (_, part) =>
      batch.slice(part * MAX_BATCH, (part + 1) * MAX_BATCH),
    ),
  );
}

const REFUSALS: Record<number, string> = {
  400: 'IndexNow: the request has an invalid form',
  403: 'IndexNow: the key is not valid for this host; its key file is missing or holds another key',
  422: 'IndexNow: the URLs do not belong to the host, or the key has another form',
};

/** Sends one batch. Returns why it was refused, or null; throws TryLaterError. */
async function send(
  batch: readonly Item[],
  { endpoint, key, keyLocation }: IndexNowSettings,
  fetcher: typeof fetch,
  signal: AbortSignal,
): Promise<string | null> {
  const { host } = new URL(required(batch[0], 'the first URL of a batch').url);
  const request = fetcher(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({
      host,
      key,
      ...(keyLocation === undefined ? {} : { keyLocation: keyLocation.replace('{host}', host) }),
      urlList: batch.map(({ url }) => url),
    }),
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
  });
  const response = await request.catch((error: Error) => {
    throw new TryLaterError(`IndexNow did not respond for ${host}: ${error.message}`);
  });
  await response.body?.cancel();
  if (response.status === 200 || response.status === 202) return null;
  const refusal = REFUSALS[response.status];
  if (refusal !== undefined) return refusal;
  if (response.status === 429) {
    throw new TryLaterError(
      `IndexNow responded with 429 for ${host}`,
      retryAfterMs(response.headers.get('retry-after')),
    );
  }
  throw new TryLaterError(`IndexNow responded with ${response.status} for ${host}`);
}

/** Seconds, or a date; undefined when it says neither. */
function retryAfterMs(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
