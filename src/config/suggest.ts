import { distance } from 'fastest-levenshtein';

/** The word that was probably meant: one that differs in a few letters, or in their order. Null when none is near. */
export function findNearest(word: string, known: Iterable<string>): string | null {
  const lower = word.toLowerCase();
  let nearest: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const each of known) {
    const other = each.toLowerCase();
    const differs = distance(lower, other);
    const most = hasSameLetters(lower, other) ? 2 : Math.min(3, Math.floor(Math.max(lower.length, other.length) / 3));
    if (differs > most || differs >= fewest) continue;
    nearest = each;
    fewest = differs;
  }
  return nearest;
}

const hasSameLetters = (one: string, other: string): boolean => [...one].sort().join('') === [...other].sort().join('');
