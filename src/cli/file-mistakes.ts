import { UsageError } from '../cli-kit/exit-codes.ts';

const MOST_SHOWN = 20;

/** Mistakes in a file that a command reads, each with its line: the first ones are shown, and how many more there are. */
export class FileMistakes {
  readonly #file: string;
  readonly #shown: string[] = [];
  #count = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** `line` counts from 1. */
  add(line: number, mistake: string): void {
    this.#count += 1;
    if (this.#shown.length < MOST_SHOWN) this.#shown.push(`  ${this.#file}:${line} ${mistake}`);
  }

  /** Throws a CommandError when there was one. `nothing`: "Nothing was imported". */
  throwIfAny(nothing: string): void {
    if (this.#count === 0) return;
    const more = this.#count > this.#shown.length ? `\n  and ${this.#count - this.#shown.length} more` : '';
    throw new UsageError(`${nothing}, because of mistakes in the file:\n${this.#shown.join('\n')}${more}`);
  }
}
