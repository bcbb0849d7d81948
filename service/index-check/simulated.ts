import { createHash } from 'node:crypto';
import { CheckUnavailableError, type IndexCheckProvider } from './provider.ts';

/**
 * Deterministic by URL, for demonstrations and tests: a path that holds `~missing` is not found, `~down` makes the
 * execution fail, every other URL is found at a place that follows from its text.
 */
export const simulatedProvider: IndexCheckProvider = {
  name: 'simulated',
  async check(urls) {
    if (urls.some((url) => url.includes('~down'))) throw new CheckUnavailableError('the simulated search is down');
    return urls.map((url) => {
      const found = !url.includes('~missing');
      return { found, position: found ? 1 + (createHash('sha256').update(url).digest()[0]! % 10) : null };
    });
  },
};
