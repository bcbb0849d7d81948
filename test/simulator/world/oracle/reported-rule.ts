import type { Report } from './breaches.ts';

/** What `status --check` says of a watch or an account. */
export interface StatusProblem {
  readonly subject: string;
  readonly problem: string;
}

/** What needs an operator, or has waited beyond its bound. */
export interface Waiting {
  readonly kind: 'held' | 'in review' | 'in doubt' | 'overdue';
  /** The watch of a held run, the account of all others. */
  readonly subject: string;
  /** Its name: of a run, a batch or a job. */
  readonly what: string;
}

/** What names it. Of batches only their number is reported. */
const WORDS: Readonly<Record<Waiting['kind'], (what: string) => RegExp>> = {
  held: (what) => new RegExp(`^(a guard holds this run|this run waits for money): .* courier reject ${what}(?= |$)`),
  'in review': () => /needs? review/,
  'in doubt': () => /without a known outcome/,
  overdue: (what) => new RegExp(`job ${what} `),
};

/** Whatever needs an operator, or has waited beyond its bound, is named by `status --check` while it does. */
export function checkTold(waiting: readonly Waiting[], reported: readonly StatusProblem[], report: Report): void {
  for (const { kind, subject, what } of waiting) {
    const isNamed = reported.some((each) => each.subject === subject && WORDS[kind](what).test(each.problem));
    if (!isNamed) report(`${what} is ${kind}, and status --check does not say so of ${subject}`, { cause: kind });
  }
}

/** What is said of an account, by the words for it. */
const ABOUT = [
  [/^the service rejects the key/, 'key'],
  [/^it sends nothing: the list of jobs cannot be read/, 'list'],
] as const;

/** Where nothing is left to do, nothing is said to be needed of an account. */
export function checkQuiet(reported: readonly StatusProblem[], accounts: ReadonlySet<string>, report: Report): void {
  for (const { subject, problem } of reported) {
    if (!accounts.has(subject)) continue;
    const about = ABOUT.find(([words]) => words.test(problem))?.[1];
    const cause = about === undefined ? 'needs nobody' : `needs nobody, ${about}`;
    report(`status --check says of ${subject}: ${problem}; and nothing is left to do`, { account: subject, cause });
  }
}
