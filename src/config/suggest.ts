import { distance } from 'fastest-levenshtein';

/** The word that was probably meant: one that differs in a few letters. Null when none is near. */
export function findNearest(word: string, known: Iterable<string>): string | null {
  const lower = word.toLowerCase();
  let nearest: string | null = null;
  let fewest = Math.min(3, Math.max(2, Math.floor(word.length / 2))) + 1;
  for (const each of known) {
    const differs = distance(lower, each.toLowerCase());
    if (differs >= fewest) continue;
    nearest = each;
    fewest = differs;
  }
  return nearest;
}

/** `; did you mean "shop"?`, or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const nearest = findNearest(word, known);
  return nearest === null ? '' : `; did you mean "${nearest}"?`;
}
