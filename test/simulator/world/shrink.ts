import { NO_CAPS } from './oracle/caps-rule.ts';
import type { Played } from './play.ts';
import type { Scenario } from './scenario.ts';

/** Plays at most; a schedule that is not the shortest is better than none. */
const MOST_PLAYS = 150;

/** What of a breach stays the same when a schedule is shortened: not its numbers, URLs and references. */
export const toKind = (breach: string): string =>
  breach.replaceAll(/https?:\S+|\b(sub|sc1|run|watch|account)[-_/]\S+|\d+/g, '#').slice(0, 40);

/** The shortest schedule found that breaks the same rule. */
export async function shrink(
  scenario: Scenario,
  breach: string,
  play: (scenario: Scenario) => Promise<Pick<Played, 'breaches'>>,
): Promise<Scenario> {
  const kind = toKind(breach);
  let best = scenario;
  let plays = 0;
  for (let again = true; again; ) {
    again = false;
    for (const simpler of listSimpler(best)) {
      if (plays >= MOST_PLAYS) return best;
      plays += 1;
      const { breaches } = await play(simpler);
      if (!breaches.some((each) => toKind(each) === kind)) continue;
      best = simpler;
      again = true;
      break;
    }
  }
  return best;
}

/** Schedules with less in them, the most promising first. */
export function* listSimpler(scenario: Scenario): Generator<Scenario> {
  const { acts, watches, goodAt } = scenario;
  for (let size = Math.ceil(acts.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < acts.length; at += size) {
      yield { ...scenario, acts: [...acts.slice(0, at), ...acts.slice(at + size)] };
    }
  }
  const calm: Partial<Scenario>[] = [
    { faultShare: 0 },
    { siteFaultShare: 0 },
    { storageShare: 0 },
    { workers: 1 },
    { tooLarge: null },
    { latencyMs: 20 },
    { listLagMs: 0 },
    { caps: NO_CAPS },
    { configuresPrice: false },
    { forgetsKeys: false },
    { suggestAfter: 4_000 },
    { jobMs: 0 },
  ];
  for (const change of calm) {
    const [[name, value]] = Object.entries(change) as [[keyof Scenario, unknown]];
    if (scenario[name] !== value) yield { ...scenario, ...change };
  }
  if (watches.size > 1) {
    for (const name of watches.keys())
      yield { ...scenario, watches: new Map([...watches].filter(([each]) => each !== name)) };
  }
  for (const [name, pages] of watches) {
    if (pages.length > 1) {
      yield { ...scenario, watches: new Map([...watches]).set(name, pages.slice(0, Math.ceil(pages.length / 2))) };
    }
  }
  const lastAct = Math.max(0, ...acts.map(({ at, forMs }) => at + forMs));
  if (lastAct + 60_000 < goodAt) yield { ...scenario, goodAt: lastAct + 60_000 };
  for (const [n, act] of acts.entries()) {
    if (act.forMs > 0) yield { ...scenario, acts: acts.with(n, { ...act, forMs: 0 }) };
  }
}
