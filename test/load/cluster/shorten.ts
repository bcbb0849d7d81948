const MOST_NAMED = 10;

/** A list that a reader can take in: a mistake that every page shows is one mistake. */
export const shorten = (wrong: readonly string[]): string[] =>
  wrong.length <= MOST_NAMED
    ? [...wrong]
    : [...wrong.slice(0, MOST_NAMED), `… and ${wrong.length - MOST_NAMED} more of these`];
