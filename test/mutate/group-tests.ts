import { dirname } from 'node:path';
import { hasRun, type Ran } from './coverage.ts';
import type { Mutation } from './mutation.ts';

/** What one test file runs, and what processor time it takes without a mutation. */
export interface TestReach {
  readonly file: string;
  readonly cpuMs: number;
  readonly passes: boolean;
  readonly ran: Ran;
  /** Files of the tree that it loads, with digests of their texts. */
  readonly loaded: Readonly<Record<string, string>>;
}

/** The tests of a place run in groups, a process each, until one fails: the first alone, then up to so much time in all. */
const GROUP_MS = [0, 2_000, 8_000, Number.POSITIVE_INFINITY];

/** The tests that reach a place, nearest and fastest first, in the groups in which they are run. */
export function groupTests(mutation: Mutation, reaches: readonly TestReach[], mostMs: number): TestReach[][] {
  // A test beside the file is likelier to notice: it may take three times as long.
  const cost = ({ file, cpuMs }: TestReach): number => (dirname(file) === dirname(mutation.file) ? cpuMs / 3 : cpuMs);
  const reaching = reaches
    .filter(({ passes, ran }) => passes && hasRun(ran, mutation))
    .toSorted((a, b) => cost(a) - cost(b));
  const groups: TestReach[][] = GROUP_MS.map(() => []);
  let ms = 0;
  for (const [n, each] of reaching.entries()) {
    ms += each.cpuMs;
    if (n > 0 && ms > mostMs) break;
    groups[n === 0 ? 0 : GROUP_MS.findIndex((most) => ms <= most)]!.push(each);
  }
  return groups.filter((group) => group.length > 0);
}

/** The time after which a group of tests goes round in a circle: a processor may do twenty other things. */
export const toMostMs = (group: readonly TestReach[]): number =>
  20_000 + 10 * group.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
