import { LineReader } from './line-reader.ts';
import type { Sink } from './reader.ts';

const SITEMAP_LINE = /^[ \t]*sitemap[ \t]*:[ \t]*([^\r\n]*)$/gim;

/** Reads the `Sitemap:` lines of a robots.txt, in any place and any case. */
export const openRobots = (sink: Sink): LineReader =>
  new LineReader((lines) => {
    for (const [, value = ''] of lines.replace(/\r/g, '\n').matchAll(SITEMAP_LINE)) {
      const loc = value.replace(/\s+#.*$/, '').trim();
      if (loc !== '') sink.child(loc);
    }
  });
