import { findLineFault } from '../../url/url-line.ts';
import { BlockFeeder } from './block-feeder.ts';
import type { DocumentReader, Sink } from './reader.ts';

const PAGE = /^https?:\/\//i;

/**
 * A plain text sitemap: one absolute URL per line and nothing else. Blank lines and `#` comments are ignored; every other
 * line is counted.
 */
export class TextReader implements DocumentReader {
  readonly #sink: Sink;
  readonly #feeder = new BlockFeeder((block) => this.#scan(block));

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(block: Buffer): void {
    this.#feeder.write(block);
  }

  end(cut: boolean): void {
    const rest = this.#feeder.end();
    // The last line of a truncated document may be half a URL.
    if (!cut) this.#lines(rest.toString('utf8'));
  }

  #scan(block: Buffer): number {
    const end = Math.max(block.lastIndexOf(0x0a), block.lastIndexOf(0x0d)) + 1;
    this.#lines(block.toString('utf8', 0, end));
    return end;
  }

  #lines(text: string): void {
    for (const line of text.split(/[\r\n]+/)) {
      const loc = line.trim();
      if (PAGE.test(loc) && findLineFault(loc) === null) this.#sink.page(loc, null);
      else if (loc !== '' && !loc.startsWith('#')) {
        this.#sink.unusable();
        const shown = loc.includes('@') ? '' : `: ${loc.slice(0, 120)}`;
        const message = `a line that is not one absolute http(s) URL and nothing else${shown}`;
        this.#sink.problem('BAD_URL', 'warning', message, this.#feeder.base);
      }
    }
  }
}
