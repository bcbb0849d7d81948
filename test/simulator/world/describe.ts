import type { Scenario } from './scenario.ts';

/** The settings of a schedule, and its acts. */
export function describeScenario(scenario: Scenario): string[] {
  const { acts, watches, epoch, seed: _seed, ...settings } = scenario;
  const pages = [...watches].map(([name, listed]) => `${name}: ${listed.length} pages`);
  return [
    `begins at ${new Date(epoch).toISOString()}; ${pages.join(', ')}`,
    Object.entries(settings)
      .map(([name, value]) => `${name} ${typeof value === 'number' ? Number(value.toFixed(3)) : value}`)
      .join(', '),
    ...acts.map(
      ({ at, kind, forMs, moment }) =>
        `${(at / 1000).toFixed(0)} s: ${kind}${moment === undefined ? '' : `, at the moment "${moment}"`}` +
        `${forMs > 0 ? `, for ${(forMs / 1000).toFixed(0)} s` : ''}`,
    ),
  ];
}

/** Lines of the trace that a reader follows: not polls, reads of the balance and sitemaps. */
export const isEvent = (line: string): boolean =>
  !/ (GET|worker-\d+ GET) /.test(line) || / GET \/api\/v1\/submissions\?/.test(line);
