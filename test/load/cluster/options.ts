import { parseArgs } from 'node:util';

/** Sizes and acts of a run of the cluster. */
export interface ClusterOptions {
  readonly workers: number;
  readonly watches: number;
  readonly accounts: number;
  /** All pages that the sitemaps list at first. */
  readonly urls: number;
  /** all: each worker does everything; split: the first does all but crawls, the others crawl. */
  readonly duty: 'all' | 'split';
  readonly ledger: 'sqlite' | 'postgres';
  readonly service: 'sqlite' | 'postgres';
  /** The submissions a minute that both sides allow a key; 1,000,000: no limit is met. */
  readonly submissionsPerMinute: number;
  readonly jobMs: number;
  /** What the first runs, and everything after the last act, may take. */
  readonly limitMs: number;
  /** Runs start again and again for so long, with new pages each time; 0: one run of each watch. */
  readonly forMs: number;
  /** Share of new pages in each further run, in percent of the first. */
  readonly growPercent: number;
  /** Pause between two rounds of restarts of all workers; null: none. */
  readonly rollingMs: number | null;
  readonly deploy: boolean;
  readonly faults: boolean;
  readonly compare: boolean;
  /** Share of a core that each worker may take; null: what it gets. */
  readonly workerCores: number | null;
  /** Where the figures are written as JSON; null: nowhere. */
  readonly json: string | null;
}

const FLAGS = {
  workers: { type: 'string', default: '3' },
  watches: { type: 'string', default: '200' },
  accounts: { type: 'string', default: '20' },
  urls: { type: 'string', default: '2000000' },
  duty: { type: 'string', default: 'all' },
  ledger: { type: 'string', default: 'postgres' },
  service: { type: 'string', default: 'sqlite' },
  'submissions-per-minute': { type: 'string', default: '1000000' },
  'job-seconds': { type: 'string', default: '15' },
  seconds: { type: 'string', default: '1800' },
  for: { type: 'string', default: '0' },
  'grow-percent': { type: 'string', default: '2' },
  rolling: { type: 'string' },
  deploy: { type: 'boolean', default: false },
  faults: { type: 'boolean', default: false },
  compare: { type: 'boolean', default: false },
  'worker-cores': { type: 'string' },
  json: { type: 'string' },
} as const;

/** With less of a core a worker does not answer Temporal in time. */
const [LEAST_CORES, MOST_CORES] = [0.05, 1];

/** Throws a RangeError for a size that makes no cluster. */
export function parseOptions(args: readonly string[]): ClusterOptions {
  const { values } = parseArgs({ args: [...args], options: FLAGS });
  const toCount = (name: keyof typeof FLAGS, least = 1): number => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < least)
      throw new RangeError(`--${name} must be a whole number of at least ${least}`);
    return value;
  };
  const choose = <T extends string>(name: keyof typeof FLAGS, choices: readonly T[]): T => {
    const chosen = choices.find((choice) => choice === values[name]);
    if (chosen === undefined) throw new RangeError(`--${name} must be one of ${choices.join(', ')}`);
    return chosen;
  };
  const workerCores = values['worker-cores'] === undefined ? null : Number(values['worker-cores']);
  if (workerCores !== null && !(workerCores >= LEAST_CORES && workerCores <= MOST_CORES))
    throw new RangeError(`--worker-cores must be a share of a core, from ${LEAST_CORES} to ${MOST_CORES}`);
  const [watches, accounts, urls] = [toCount('watches'), toCount('accounts'), toCount('urls')];
  if (accounts > watches) throw new RangeError('--accounts must be at most --watches: each account has a watch');
  if (urls < watches) throw new RangeError('--urls must be at least --watches: each watch has a page');
  const forMs = toCount('for', 0) * 1_000;
  const isDisturbed = values.rolling !== undefined || values.deploy || values.faults;
  if (isDisturbed && forMs === 0) throw new RangeError('--rolling, --deploy and --faults need --for SECONDS');
  if (values.compare && isDisturbed)
    throw new RangeError('--compare measures: leave --rolling, --deploy and --faults out');
  return {
    ...{ watches, accounts, urls, forMs },
    workers: toCount('workers'),
    duty: choose('duty', ['all', 'split']),
    ledger: choose('ledger', ['postgres', 'sqlite']),
    service: choose('service', ['sqlite', 'postgres']),
    submissionsPerMinute: toCount('submissions-per-minute'),
    jobMs: toCount('job-seconds') * 1_000,
    limitMs: toCount('seconds') * 1_000,
    growPercent: toCount('grow-percent', 0),
    rollingMs: values.rolling === undefined ? null : toCount('rolling') * 1_000,
    deploy: values.deploy,
    faults: values.faults,
    compare: values.compare,
    workerCores,
    json: values.json ?? null,
  };
}
