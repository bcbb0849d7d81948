/** A word of SQL in a template. A hole is what `${…}` encloses. */
export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'operator' | 'mark' | 'hole';
  /** Words in capitals. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** How many parentheses are open before it; a parenthesis counts as outside. */
  readonly depth: number;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

const TOKEN =
  /\s+|--[^\n]*|(?<word>[A-Za-z_][A-Za-z_0-9]*)|(?<number>\d+(?:\.\d+)?)|(?<string>'(?:[^']|'')*')|(?<operator><>|<=|>=|!=|\|\||::|[=<>+\-*/%])|(?<mark>[(),.;"])|./y;

/** The tokens of the text between `start` and `end` of a file. */
export function tokenize(text: string, { start, end }: Span, holes: readonly Span[]): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  let at = start;
  const waiting = holes.values();
  let hole = waiting.next().value;
  while (at < end) {
    if (hole !== undefined && at >= hole.start) {
      tokens.push({ kind: 'hole', text: '', start: hole.start, end: hole.end, depth });
      at = hole.end;
      hole = waiting.next().value;
      continue;
    }
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) return tokens;
    const { groups = {} } = match;
    const kind = (['word', 'number', 'string', 'operator', 'mark'] as const).find((name) => groups[name] !== undefined);
    if (match[0] === ')') depth -= 1;
    if (kind !== undefined) {
      const shown = kind === 'word' ? match[0].toUpperCase() : match[0];
      tokens.push({ kind, text: shown, start: at, end: at + match[0].length, depth });
    }
    if (match[0] === '(') depth += 1;
    at += match[0].length;
  }
  return tokens;
}
