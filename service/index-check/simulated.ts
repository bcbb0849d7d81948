import { createHash } from 'node:crypto';
import { CheckUnavailableError, type Finding, type IndexCheckProvider, unknown } from './provider.ts';

/**
 * Deterministic by URL, for demonstrations and tests: a URL that holds `~missing` is not found, one with `~unknown`
 * gets no answer, `~toolong` cannot be asked for, `~down` makes the execution fail; every other URL is found at a
 * place that follows from its text.
 */
export const simulatedProvider: IndexCheckProvider = {
  name: 'simulated',
  findProblem: (url) => (url.includes('~toolong') ? 'the simulated search does not take this URL' : null),
  reserve: () => ({
    release: () => undefined,
    async check(urls) {
      if (urls.some((url) => url.includes('~down'))) throw new CheckUnavailableError('the simulated search is down');
      return urls.map(simulate);
    },
  }),
};

function simulate(url: string): Finding {
  if (url.includes('~unknown')) return unknown('the simulated search gave no answer');
  const found = !url.includes('~missing');
  const position = found ? 1 + (createHash('sha256').update(url).digest().readUInt8(0) % 10) : null;
  return { found, position, reason: null };
}
