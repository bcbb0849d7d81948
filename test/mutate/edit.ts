/** One change of a file's text, before it has a name. Offsets are of characters. */
export interface Edit {
  /** Which rule of the generator made it: the list is in docs/contributing/mutations.md. */
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly after: string;
  /** A character that has run wherever the change can matter. Null: it runs as its file is loaded. */
  readonly at: number | null;
}
