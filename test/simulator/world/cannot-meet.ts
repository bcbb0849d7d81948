import type { StateName } from './acts/states.ts';
import type { ActKind } from './scenario.ts';

type Named = ActKind | StateName;

interface CannotMeet {
  /** What cannot have both: the world, or the rules, which could not judge it. */
  readonly is: 'world' | 'rules';
  readonly each: readonly ActKind[];
  readonly other: readonly Named[];
  readonly why: string;
}

const LOSES = ['rename watch', 'restore ledger', 'restore under workers', 'account held'] as const;
const MOVES = ['change account', 'name another service', 'move to another service', 'service moves'] as const;
const HIDES = ['crash service', 'crash service at a call', 'lose temporal', 'stop temporal', 'jump clock'] as const;

/** Pairs that no seed plays. One that is played all the same is no entry of this list: `npm run simulate -- --pairs` fails. */
export const CANNOT_MEET: readonly CannotMeet[] = [
  {
    is: 'rules',
    each: MOVES,
    other: LOSES,
    why: 'what a lost ledger, or a watch with another name, has bought is looked for in its own account alone',
  },
  {
    is: 'rules',
    each: ['wrong key'],
    other: [
      ...HIDES,
      'refuse key',
      'replace key',
      'restore ledger',
      'restore under workers',
      'account held',
      'account without key',
    ],
    why: 'the account of a key cannot always be read then, and one that cannot be read blocks nothing',
  },
  {
    is: 'world',
    each: ['name another service'],
    other: ['wrong key'],
    why: 'the second account belongs to another service, or to the same one',
  },
  {
    is: 'rules',
    each: ['call totals prices'],
    other: ['change price'],
    why: 'a total that is called a price looks like a price that has risen, and counts as one',
  },
  { is: 'world', each: ['service moves'], other: ['service moves'], why: 'a service moves once' },
];

const key = (one: Named, other: Named): string => [one, other].toSorted().join(' × ');

const reasons = new Map(
  CANNOT_MEET.flatMap(({ is, each, other, why }) =>
    each.flatMap((one) => other.map((two) => [key(one, two), is === 'rules' ? `the rules: ${why}` : why] as const)),
  ),
);

/** Why no seed has both; null: one may. */
export const findObstacle = (one: Named, other: Named): string | null => reasons.get(key(one, other)) ?? null;
