/** What a rule says about the one thing that broke it: a known breach is recognized by it, and by nothing else. */
export interface About {
  readonly url?: string;
  readonly watch?: string;
  readonly account?: string;
  /** Micro-lira beyond what the rule allows. */
  readonly beyond?: number;
  /** Of what counts in the window of a cap, the part that index-checks cost, in micro-lira. */
  readonly ofChecks?: number;
  /** What lies behind it, where a rule can tell causes apart. */
  readonly cause?: string;
}

export interface Breach extends About {
  /** The name of the rule. */
  readonly rule: string;
  readonly text: string;
}

export type Report = (text: string, about?: About) => void;

export interface BreachSettings {
  readonly trace: (line: string) => void;
  /** The finding that waits for its fix and is the cause of this one alone; null: none is. */
  readonly findKnown?: (breach: Breach) => string | null;
}

/** What was broken. What a known finding explains is counted under it, and breaks nothing. */
export class Breaches {
  readonly texts: string[] = [];
  /** Texts of what known findings explain, by finding. */
  readonly known = new Map<string, string[]>();
  readonly #settings: BreachSettings;
  readonly #seen = new Set<string>();

  constructor(settings: BreachSettings) {
    this.#settings = settings;
  }

  /** What a rule of that name calls when it is broken. */
  toReport(rule: string): Report {
    return (text, about = {}) => this.add({ rule, text, ...about });
  }

  add(breach: Breach): void {
    const text = `${breach.rule}: ${breach.text}`;
    if (this.#seen.has(text)) return;
    this.#seen.add(text);
    const finding = this.#settings.findKnown?.(breach) ?? null;
    if (finding === null) {
      this.texts.push(text);
      this.#settings.trace(`BREACH ${text}`);
      return;
    }
    this.known.set(finding, [...(this.known.get(finding) ?? []), text]);
    this.#settings.trace(`KNOWN ${finding}: ${text}`);
  }
}
