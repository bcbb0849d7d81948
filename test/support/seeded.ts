/** A small seeded generator (mulberry32): the same seed gives the same faults on every machine. In [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<T>(random: () => number, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)]!;
}

/** Deals all choices in a chance order before any comes again: a short schedule still meets many of them. */
export function createDeck<T>(random: () => number, choices: readonly T[]): () => T {
  let left: T[] = [];
  return () => {
    if (left.length === 0) left = [...choices];
    return left.splice(Math.floor(random() * left.length), 1)[0]!;
  };
}
