import { findLineFault } from '../../url/url-line.ts';
import { LineReader } from './line-reader.ts';
import type { Sink } from './reader.ts';

const PAGE = /^https?:\/\//i;

/**
 * A plain text sitemap: one absolute URL per line and nothing else. Blank lines and `#` comments are ignored; every other
 * line is counted.
 */
export const openText = (sink: Sink): LineReader =>
  new LineReader((lines, at) => {
    for (const line of lines.split(/[\r\n]+/)) {
      const loc = line.trim();
      if (PAGE.test(loc) && findLineFault(loc) === null) sink.page(loc, null);
      else if (loc !== '' && !loc.startsWith('#')) {
        sink.unusable();
        const shown = loc.includes('@') ? '' : `: ${loc.slice(0, 120)}`;
        const message = `a line that is not one absolute http(s) URL and nothing else${shown}`;
        sink.problem('BAD_URL', 'warning', message, at);
      }
    }
  });
