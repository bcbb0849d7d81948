/** Statuses that may change in a moment. 520 to 524 are those of Cloudflare for a site that fails behind it. */
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);

export const isTransientStatus = (status: number) => TRANSIENT.has(status);

/** Milliseconds that a Retry-After header asks for; undefined for none or one that cannot be parsed. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const at = /^[a-z]{3},? /i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** 250 to 500 ms with jitter, doubled with every attempt, at most 10 s. `random` is in [0, 1). */
export function backoffMs(attempt: number, random: number): number {
  return Math.floor(Math.min(10_000, 500 * 2 ** (attempt - 1)) * (0.5 + random / 2));
}
