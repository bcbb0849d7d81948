/**
 * The two halves of a batch that is too large or holds a bad URL; the first is the larger one by at most one URL.
 * Deterministic, so that a worker that crashes between the halves and a second worker arrive at the same keys.
 */
export function splitBatch<Item>(items: readonly Item[]): readonly [Item[], Item[]] {
  if (items.length < 2) throw new RangeError('a batch of one URL has no halves');
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

/** How the parts of a refused batch fared so far, counted in URLs. */
export interface Bisection {
  /** URLs of the original batch. */
  readonly urls: number;
  readonly accepted: number;
  /** URLs found bad one by one. */
  readonly quarantined: number;
  /** URLs of parts that wait for review: the cause is not in them. */
  readonly inReview: number;
}

/** Single-URL rejections, with none accepted, after which bisection stops. */
const REJECTIONS_BEFORE_REVIEW = 8;

/**
 * Whether splitting a refused batch still makes sense. A service that rejects everything (a disabled feature, a project
 * name that it does not take) would otherwise get two requests for each URL, and every URL would end in quarantine.
 * When the answer is no, the remaining parts wait for review.
 */
export function worthBisecting({ urls, accepted, quarantined, inReview }: Bisection): boolean {
  return accepted > 0 || (inReview === 0 && quarantined < Math.min(REJECTIONS_BEFORE_REVIEW, urls));
}
