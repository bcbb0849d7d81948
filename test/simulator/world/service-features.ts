import { DUTIES, type Duty } from '../../../src/temporal-api/duties.ts';
import { pick } from '../../support/seeded.ts';
import type { Feature } from './features.ts';
import { CHECK_PRICE, type CheckPolicy } from './oracle/check-rule.ts';
import type { Act, Scenario } from './scenario.ts';
import { drawDialect } from './service-seeds.ts';

const MINUTE = 60_000;

/** Workers that share the duties: each duty has one of them at least. */
const SHARED: readonly (readonly (readonly Duty[])[])[] = [
  DUTIES.map((duty) => [duty]),
  [['workflows', 'crawl'], ['submit'], ['track', 'check']],
  [['submit'], DUTIES.filter((duty) => duty !== 'submit')],
  [['submit'], DUTIES],
  [['crawl'], ['crawl', 'check'], DUTIES.filter((duty) => duty !== 'crawl')],
];

/** More pages are checked, sooner again, and within a budget; all of them where an act needs that. */
export const drawChecks = ({ policy }: Scenario, random: () => number): CheckPolicy => ({
  afterMs: random() < 0.7 ? 0 : 10 * MINUTE,
  everyMs: (1 + Math.floor(random() * 48)) * 60 * MINUTE,
  stopWhenFound: random() < 0.5,
  sample: random() < 0.6 || policy?.checks?.sample === 1 ? 1 : 0.5,
  perDay: random() < 0.5 ? null : (1 + Math.floor(random() * 10)) * CHECK_PRICE,
});

export const addChecks = ({ acts, goodAt }: Scenario, random: () => number): readonly Act[] =>
  [
    ...acts,
    ...Array.from({ length: 3 }, () => ({
      ...{
        at: Math.floor((0.2 + 0.8 * random()) * Math.min(goodAt, 60 * MINUTE - 1)),
        kind: 'check' as const,
        forMs: 0,
      },
      salt: Math.floor(random() * 2 ** 31),
    })),
  ].toSorted((a, b) => a.at - b.at);

/** What services and what lies below the connector may do besides: see features.ts. */
export const SERVICE_FEATURES = {
  'workers of one duty': (_scenario, random) => {
    const duties = pick(random, SHARED);
    return { duties, workers: duties.length };
  },
  'cuts at any byte': ({ acts }, random) =>
    // The account of a key cannot always be read then.
    acts.some(({ kind }) => kind === 'wrong key')
      ? null
      : { cutsAnywhere: true, faultShare: 0.1 + random() * 0.2, siteFaultShare: 0.1 + random() * 0.2 },
  'endless jobs': (_scenario, random) => ({ endlessShare: 0.1 + random() * 0.5 }),
  'checks again and again': (scenario, random) => ({
    policy: { ...scenario.policy, checks: drawChecks(scenario, random) },
    acts: addChecks(scenario, random),
  }),
  'checks in other words': (scenario, random) => {
    const dialect = drawDialect(Math.floor(random() * 2 ** 31), scenario);
    if (dialect === null || dialect.profile === null || scenario.failShare !== undefined) return null;
    return {
      services: { isSecondElsewhere: false, ...scenario.services, dialect: { ...dialect, speaksOfChecks: true } },
      ...{
        listLagMs: 0,
        policy: { ...scenario.policy, checks: drawChecks(scenario, random) },
        acts: addChecks(scenario, random),
      },
    };
  },
  /** Half a kurus and less: what a service rounds. */
  'odd price': ({ second }, random) =>
    second === undefined ? { price: pick(random, [997_500, 252_500, 63_750]) } : null,
} satisfies Readonly<Record<string, Feature>>;
