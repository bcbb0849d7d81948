import { LIMITS } from '../../contract/limits.ts';

/** Cuts a list into batches of at most `max`, in its order. The same list always gives the same batches. */
export function batchesOf<Item>(items: readonly Item[], max: number = LIMITS.submissionUrls): Item[][] {
  if (!Number.isInteger(max) || max < 1) throw new RangeError(`a batch holds at least one URL, not ${max}`);
  const batches: Item[][] = [];
  for (let at = 0; at < items.length; at += max) batches.push(items.slice(at, at + max));
  return batches;
}

/**
 * The two halves of a batch that was too large or holds a bad URL; the first is the larger one by at most one URL.
 * Deterministic, so that a crash between the halves and a second worker arrive at the same keys.
 */
export function splitBatch<Item>(items: readonly Item[]): readonly [Item[], Item[]] {
  if (items.length < 2) throw new RangeError('a batch of one URL has no halves');
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}
