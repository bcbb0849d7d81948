/**
 * The two halves of a batch that is too large or holds a bad URL; the first is the larger one by at most one URL.
 * Deterministic, so that a second worker computes the same keys after a crash between the halves.
 */
export function splitBatch<Item>(items: readonly Item[]): readonly [Item[], Item[]] {
  if (items.length < 2) throw new RangeError('a batch with fewer than two URLs cannot be split');
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

/** Progress of the parts of a refused batch, counted in URLs. */
export interface Bisection {
  /** URLs of the original batch. */
  readonly urls: number;
  readonly accepted: number;
  /** URLs found bad one by one. */
  readonly quarantined: number;
  /** URLs of parts that wait for review: the URLs are not the cause. */
  readonly inReview: number;
}

/** Single-URL rejections, with none accepted, after which bisection stops. */
const REJECTIONS_BEFORE_REVIEW = 8;

/**
 * Whether to continue splitting a refused batch. A service that rejects everything (a disabled feature, a rejected
 * project name) would otherwise get two requests for each URL, and every URL would end in quarantine. When false, the
 * remaining parts wait for review.
 */
export function worthBisecting({ urls, accepted, quarantined, inReview }: Bisection): boolean {
  return accepted > 0 || (inReview === 0 && quarantined < Math.min(REJECTIONS_BEFORE_REVIEW, urls));
}
