import { SettingsError } from '../settings-error.ts';
import { type Item, type Outcome, type Processor, TryLaterError } from './processor.ts';
import type { IndexNowSettings } from './settings.ts';

/** URLs of one host in one request; the protocol allows 10,000, twice what a submission holds. */
const MAX_BATCH = 10_000;
const MAX_STEPS = 100;

/**
 * The IndexNow protocol: URLs are sent per host with the key that the host serves in a file. 200 and 202 mean
 * received, not indexed. 400, 403 and 422 fail the batch with the protocol's own reason; 429 waits for
 * Retry-After; Temporal retries everything else.
 */
export function indexNowProcessor(settings: IndexNowSettings, fetcher: typeof fetch = fetch): Processor {
  if (!/^[A-Za-z0-9-]{8,128}$/.test(settings.key)) {
    throw new SettingsError('the IndexNow key is 8 to 128 characters of a-z, A-Z, 0-9 and hyphen');
  }
  return {
    name: 'indexnow',
    plan: () => ({ queuedMs: 0, stepMs: 0 }),
    split(items) {
      const batches = byHost(items);
      const perStep = Math.ceil(batches.length / MAX_STEPS);
      return Array.from({ length: Math.ceil(batches.length / perStep) }, (_, step) =>
        batches.slice(step * perStep, (step + 1) * perStep).flat(),
      );
    },
    async run(items, record, signal) {
      for (const batch of byHost(items)) {
        const refusal = await send(batch, settings, fetcher, signal);
        await record(batch.map(({ position }) => outcome(position, refusal)));
      }
    },
  };
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
  const { host } = new URL(batch[0]!.url);
  const response = await fetcher(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({
      host,
      key,
      ...(keyLocation === undefined ? {} : { keyLocation: keyLocation.replace('{host}', host) }),
      urlList: batch.map(({ url }) => url),
    }),
    redirect: 'manual',
    signal,
  });
  await response.body?.cancel();
  if (response.status === 200 || response.status === 202) return null;
  const refusal = REFUSALS[response.status];
  if (refusal !== undefined) return refusal;
  if (response.status === 429) {
    throw new TryLaterError('IndexNow answered 429', retryAfterMs(response.headers.get('retry-after')));
  }
  throw new TryLaterError(`IndexNow answered ${response.status}`);
}

/** Seconds, or a date; undefined when it says neither. */
function retryAfterMs(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
