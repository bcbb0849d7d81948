import { BlockFeeder } from './block-feeder.ts';
import type { DocumentReader, Sink } from './reader.ts';

const SITEMAP_LINE = /^[ \t]*sitemap[ \t]*:[ \t]*([^\r\n]*)$/gim;

/** Reads the `Sitemap:` lines of a robots.txt, in any place and any case. */
export class RobotsReader implements DocumentReader {
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
    // The last line of a truncated document may be half a line.
    if (!cut) this.#lines(rest.toString('utf8'));
  }

  #scan(block: Buffer): number {
    const end = Math.max(block.lastIndexOf(0x0a), block.lastIndexOf(0x0d)) + 1;
    this.#lines(block.toString('utf8', 0, end));
    return end;
  }

  #lines(text: string): void {
    for (const [, value = ''] of text.replace(/\r/g, '\n').matchAll(SITEMAP_LINE)) {
      const loc = value.replace(/\s+#.*$/, '').trim();
      if (loc !== '') this.#sink.child(loc);
    }
  }
}
