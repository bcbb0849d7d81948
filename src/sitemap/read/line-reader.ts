import { BlockFeeder } from './block-feeder.ts';
import type { DocumentReader } from './reader.ts';

/** Hands on the whole lines of a text, many at a time. `at` is where they begin in it. */
export class LineReader implements DocumentReader {
  readonly #read: (lines: string, at: number) => void;
  readonly #feeder = new BlockFeeder((block) => this.#scan(block));

  constructor(read: (lines: string, at: number) => void) {
    this.#read = read;
  }

  write(block: Buffer): void {
    this.#feeder.write(block);
  }

  end(cut: boolean): void {
    const rest = this.#feeder.end();
    // The last line of a truncated document may be half of one.
    if (!cut) this.#read(rest.toString('utf8'), this.#feeder.base);
  }

  #scan(block: Buffer): number {
    const end = Math.max(block.lastIndexOf(0x0a), block.lastIndexOf(0x0d)) + 1;
    this.#read(block.toString('utf8', 0, end), this.#feeder.base);
    return end;
  }
}
