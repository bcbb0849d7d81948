import { count, list, text } from '../../cli-kit/record-schema.ts';
import { fieldsOf } from '../../cli-kit/record-table.ts';
import { Type } from '../../json-schema/type.ts';
import type { HostDelay, SavedTransfers } from '../../temporal-api/payloads.ts';
import { formatCount } from './format.ts';

export type { HostDelay } from '../../temporal-api/payloads.ts';

/** Requests of a crawl that were answered with 304. */
export const SAVED = fieldsOf<SavedTransfers>()({
  not_transferred: [count('sitemaps answered with 304'), ({ sitemaps }) => sitemaps],
  saved_bytes: [count('size of their last transfers as sent, where known'), ({ bytes }) => bytes],
  saved_ms: [count('time of their last transfers, summed'), ({ ms }) => ms],
});

export const DELAY = fieldsOf<HostDelay>()({
  host: text('host, with its port if it has one'),
  delay_ms: count('wait between two requests'),
  asked_ms: count('Crawl-delay of robots.txt; the wait is at most 30 s'),
});

export const DELAYS = list(Type.Object(DELAY.schemas), 'hosts with a respected Crawl-delay');

/** "304 for 12: 1.3 MB and 0.8 s saved". */
export const formatSaved = ({ sitemaps, bytes, ms }: SavedTransfers): string =>
  `304 for ${formatCount(sitemaps)}: ${formatBytes(bytes)} and ${(ms / 1_000).toFixed(1)} s saved`;

export function formatDelay({ host, delayMs, askedMs }: HostDelay): string {
  const seconds = (ms: number) => `${formatCount(ms / 1_000)} s`;
  const limit = askedMs > delayMs ? `; the crawl waits ${seconds(delayMs)}, which is the most` : '';
  return `${host} asks for ${seconds(askedMs)} between two requests (Crawl-delay of its robots.txt)${limit}`;
}

function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
