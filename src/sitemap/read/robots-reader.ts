import type { DocumentReader, Sink } from './reader.ts';

/** Search engines read as much of a robots.txt. */
const LIMIT = 512 * 1024;
const SITEMAP_LINE = /^[ \t]*sitemap[ \t]*:[ \t]*([^\r\n]*)$/gim;

/** Reads the `Sitemap:` lines of a robots.txt, in any place and any case. */
export class RobotsReader implements DocumentReader {
  readonly #sink: Sink;
  readonly #blocks: Buffer[] = [];
  #bytes = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(block: Buffer): void {
    if (this.#bytes < LIMIT) this.#blocks.push(Buffer.from(block));
    else if (this.#bytes < LIMIT + block.length) {
      this.#sink.problem('TOO_LARGE', 'warning', `only the first ${LIMIT} bytes of a robots.txt are read`);
    }
    this.#bytes += block.length;
  }

  end(cut: boolean): void {
    const text = Buffer.concat(this.#blocks).toString('utf8');
    const whole = cut ? text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1) : text;
    for (const [, value = ''] of whole.replace(/\r/g, '\n').matchAll(SITEMAP_LINE)) {
      const loc = value.replace(/\s+#.*$/, '').trim();
      if (loc !== '') this.#sink.child(loc);
    }
  }
}
